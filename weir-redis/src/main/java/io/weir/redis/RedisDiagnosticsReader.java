package io.weir.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.weir.internal.store.StoreException;
import io.weir.redis.RedisDiagnostics.RedisServerDiagnostics;
import io.weir.redis.RedisDiagnostics.RedisTopology;
import io.weir.store.Clock;
import io.weir.store.StoreFailureKind;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Reads the contents of a {@link RedisDiagnostics} from the servers of an address, one by one. */
final class RedisDiagnosticsReader implements AutoCloseable {
  private static final List<String> CONFIG_SETTINGS =
      List.of("appendonly", "appendfsync", "save", "cluster-require-full-coverage");
  private static final int CLOCK_SAMPLES = 5;

  private final RedisAddress address;
  private final Clock wallClock;
  private final ClientResources resources;
  private final RedisClient client;

  RedisDiagnosticsReader(RedisAddress address, Clock wallClock) {
    this.address = address;
    this.wallClock = wallClock;
    resources = DefaultClientResources.builder().ioThreadPoolSize(2).build();
    client = RedisClient.create(resources);
    client.setOptions(
        ClientOptions.builder()
            .autoReconnect(false)
            .socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build())
            .build());
  }

  RedisDiagnostics readDiagnostics() {
    RedisURI first = address.nodes().get(0);
    return switch (address.kind()) {
      case SINGLE ->
          new RedisDiagnostics(
              RedisTopology.SINGLE, List.of(requireReachable(first, hostAndPort(first))), Map.of());
      case SENTINEL -> {
        Map<String, String> master = readMasterFromSentinel(first);
        String name = master.get("ip") + ":" + master.get("port");
        yield new RedisDiagnostics(
            RedisTopology.SENTINEL, List.of(requireReachable(first, name)), master);
      }
      case CLUSTER -> new RedisDiagnostics(RedisTopology.CLUSTER, readClusterNodes(), Map.of());
    };
  }

  private static String hostAndPort(RedisURI uri) {
    return uri.getHost() + ":" + uri.getPort();
  }

  private RedisServerDiagnostics requireReachable(RedisURI uri, String name) {
    RedisServerDiagnostics server = readServer(uri, name);
    if (!server.failure().isEmpty()) {
      throw new StoreException(StoreFailureKind.UNREACHABLE, server.failure());
    }
    return server;
  }

  private RedisServerDiagnostics readServer(RedisURI uri, String name) {
    try (StatefulRedisConnection<String, String> connection =
        RedisConnector.connectRetryingLostReason(() -> client.connectAsync(StringCodec.UTF8, uri))
            .join()) {
      RedisCommands<String, String> commands = connection.sync();
      Map<String, String> info = new HashMap<>(parseInfo(ifPermitted(commands::info, "")));
      if (address.kind() == RedisAddress.RedisAddressKind.CLUSTER) {
        info.putAll(parseInfo(ifPermitted(commands::clusterInfo, "")));
      }
      Map<String, String> settings = new HashMap<>();
      for (String setting : CONFIG_SETTINGS) {
        settings.putAll(ifPermitted(() -> commands.configGet(setting), Map.of()));
      }
      return new RedisServerDiagnostics(name, info, settings, measureClockOffset(commands), "");
    } catch (RedisException | CompletionException e) {
      return RedisServerDiagnostics.unreachable(name, RedisFailures.describeConnectFailure(e));
    }
  }

  /** Measures with the fastest of several readings, which is the most exact. */
  private Duration measureClockOffset(RedisCommands<String, String> commands) {
    long fastestMicros = Long.MAX_VALUE;
    long ahead = 0;
    for (int i = 0; i < CLOCK_SAMPLES; i++) {
      long sentMicros = wallClock.micros();
      List<String> time = ifPermitted(commands::time, List.of());
      long receivedMicros = wallClock.micros();
      if (time.size() == 2 && receivedMicros - sentMicros < fastestMicros) {
        fastestMicros = receivedMicros - sentMicros;
        long serverMicros = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
        ahead = ClockDriftMonitor.clockOffsetMicros(serverMicros, sentMicros, receivedMicros);
      }
    }
    return Duration.of(ahead, ChronoUnit.MICROS);
  }

  /** Returns the reply of a command, or a default if the server rejects the command. */
  private static <T> T ifPermitted(Supplier<T> command, T defaultValue) {
    try {
      return command.get();
    } catch (RedisCommandExecutionException e) {
      return defaultValue;
    }
  }

  private Map<String, String> readMasterFromSentinel(RedisURI uri) {
    try (var sentinel =
        RedisConnector.connectRetryingLostReason(
                () -> client.connectSentinelAsync(StringCodec.UTF8, uri))
            .join()) {
      return sentinel.sync().master(uri.getSentinelMasterId());
    } catch (RedisException | CompletionException e) {
      throw new StoreException(
          StoreFailureKind.UNREACHABLE, RedisFailures.describeConnectFailure(e));
    }
  }

  private List<RedisServerDiagnostics> readClusterNodes() {
    RedisClusterClient clusterClient = RedisClusterClient.create(resources, address.nodes());
    try {
      clusterClient.refreshPartitions();
      return clusterClient.getPartitions().stream()
          .map(node -> readServer(node.getUri(), hostAndPort(node.getUri())))
          .toList();
    } catch (RedisException e) {
      throw new StoreException(
          StoreFailureKind.UNREACHABLE, RedisFailures.describeConnectFailure(e));
    } finally {
      clusterClient.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
  }

  private static Map<String, String> parseInfo(String text) {
    Map<String, String> fields = new HashMap<>();
    text.lines()
        .filter(line -> !line.startsWith("#") && line.indexOf(':') > 0)
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              fields.put(line.substring(0, colon), line.substring(colon + 1));
            });
    return fields;
  }

  @Override
  public void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    var unused = resources.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
