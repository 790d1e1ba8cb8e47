package io.weir.redis;

import io.weir.store.Clock;
import io.weir.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What the servers behind an address say of themselves, read once over connections of its own, for
 * people who want to know what is wrong. Nothing is written, and no decision waits for it.
 *
 * @param servers the one, the master that the sentinels name, or all nodes of a cluster
 * @param sentinelMaster what the sentinels say of the master; empty where there are none
 */
public record RedisDiagnostics(
    RedisTopology topology,
    List<RedisServerDiagnostics> servers,
    Map<String, String> sentinelMaster) {

  public RedisDiagnostics {
    servers = List.copyOf(servers);
    sentinelMaster = Map.copyOf(sentinelMaster);
  }

  /** How the servers belong together. */
  public enum RedisTopology {
    SINGLE,
    SENTINEL,
    CLUSTER
  }

  /**
   * One server.
   *
   * @param name its host and port
   * @param info the fields of {@code INFO} and, in a cluster, of {@code CLUSTER INFO}; empty if the
   *     user may not ask
   * @param settings some of {@code CONFIG GET}; empty if the user may not ask
   * @param clockOffset how far its clock is ahead of this machine's
   * @param failure why it could not be asked; empty if it could
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
   * Looks at the servers of an address, as {@link RedisStore#at} takes it.
   *
   * @param wall this machine's clock, which those of the servers are held against
   * @throws StoreException if none of them can be reached, with the reason
   */
  public static RedisDiagnostics read(String url, Clock wall) {
    try (RedisDiagnosticsReader look = new RedisDiagnosticsReader(RedisAddress.parse(url), wall)) {
      return look.readDiagnostics();
    }
  }
}
