package io.weir.redis;

import io.weir.internal.store.StoreException;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Diagnostic information about the servers behind an address, read once over separate connections.
 * Reading it writes nothing and delays no decision.
 *
 * @param topology how the servers are deployed
 * @param servers the single server, the master that the sentinels report, or all nodes of a cluster
 * @param sentinelMaster the sentinels' information about the master; empty without sentinels
 */
public record RedisDiagnostics(
    RedisTopology topology,
    List<RedisServerDiagnostics> servers,
    Map<String, String> sentinelMaster) {

  public RedisDiagnostics {
    servers = List.copyOf(servers);
    sentinelMaster = Map.copyOf(sentinelMaster);
  }

  /** How the servers are deployed. */
  public enum RedisTopology {
    SINGLE,
    SENTINEL,
    CLUSTER
  }

  /**
   * Information about one server.
   *
   * @param name host and port
   * @param info the fields of {@code INFO} and, in a cluster, of {@code CLUSTER INFO}; empty if the
   *     user lacks the permission
   * @param settings some of {@code CONFIG GET}; empty if the user lacks the permission
   * @param clockOffset how far the server's clock is ahead of this machine's
   * @param failure why the server could not be read; empty if it could
   */
  public record RedisServerDiagnostics(
      String name,
      Map<String, String> info,
      Map<String, String> settings,
      Duration clockOffset,
      String failure) {

    public RedisServerDiagnostics {
      info = Map.copyOf(info);
      settings = Map.copyOf(settings);
    }

    static RedisServerDiagnostics unreachable(String name, String trouble) {
      return new RedisServerDiagnostics(name, Map.of(), Map.of(), Duration.ZERO, trouble);
    }
  }

  /**
   * Reads the diagnostics of the servers of an address in the format of {@link RedisStore#at}.
   *
   * @param wallClock this machine's clock, to compare the servers' clocks with
   * @throws StoreException if none of them can be reached, with the reason
   */
  public static RedisDiagnostics read(String url, Clock wallClock) {
    try (RedisDiagnosticsReader reader =
        new RedisDiagnosticsReader(RedisAddress.parse(url), wallClock)) {
      return reader.readDiagnostics();
    }
  }
}
