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
import io.weir.redis.RedisView.Server;
import io.weir.redis.RedisView.Shape;
import io.weir.store.Clock;
import io.weir.store.StoreException;
import io.weir.store.StoreException.Kind;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Asks the servers of an address what a {@link RedisView} shows, one after the other. */
final class Look implements AutoCloseable {
  private static final List<String> SETTINGS =
      List.of("appendonly", "appendfsync", "save", "cluster-require-full-coverage");
  private static final int CLOCK_READINGS = 5;

  private final Address address;
  private final Clock wall;
  private final ClientResources resources;
  private final RedisClient client;

  Look(Address address, Clock wall) {
    this.address = address;
    this.wall = wall;
    resources = DefaultClientResources.builder().ioThreadPoolSize(2).build();
    client = RedisClient.create(resources);
    client.setOptions(
        ClientOptions.builder()
            .autoReconnect(false)
            .socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build())
            .build());
  }

  RedisView view() {
    RedisURI first = address.nodes().get(0);
    return switch (address.kind()) {
      case SINGLE -> new RedisView(Shape.SINGLE, List.of(reached(first, name(first))), Map.of());
      case SENTINEL -> {
        Map<String, String> master = sentinels(first);
        String name = master.get("ip") + ":" + master.get("port");
        yield new RedisView(Shape.SENTINEL, List.of(reached(first, name)), master);
      }
      case CLUSTER -> new RedisView(Shape.CLUSTER, cluster(), Map.of());
    };
  }

  private static String name(RedisURI uri) {
    return uri.getHost() + ":" + uri.getPort();
  }

  private Server reached(RedisURI uri, String name) {
    Server server = server(uri, name);
    if (!server.trouble().isEmpty()) {
      throw new StoreException(Kind.UNREACHABLE, server.trouble());
    }
    return server;
  }

  private Server server(RedisURI uri, String name) {
    try (StatefulRedisConnection<String, String> connection =
        Route.told(() -> client.connectAsync(StringCodec.UTF8, uri)).join()) {
      RedisCommands<String, String> commands = connection.sync();
      Map<String, String> info = new HashMap<>(fields(allowed(commands::info, "")));
      if (address.kind() == Address.Kind.CLUSTER) {
        info.putAll(fields(allowed(commands::clusterInfo, "")));
      }
      Map<String, String> settings = new HashMap<>();
      for (String setting : SETTINGS) {
        settings.putAll(allowed(() -> commands.configGet(setting), Map.of()));
      }
      return new Server(name, info, settings, ahead(commands), "");
    } catch (RedisException | CompletionException e) {
      return Server.silent(name, Trouble.ofConnection(e));
    }
  }

  /** By the quickest of some readings, which tells most exactly. */
  private Duration ahead(RedisCommands<String, String> commands) {
    long quickest = Long.MAX_VALUE;
    long ahead = 0;
    for (int i = 0; i < CLOCK_READINGS; i++) {
      long asked = wall.micros();
      List<String> time = allowed(commands::time, List.of());
      long answered = wall.micros();
      if (time.size() == 2 && answered - asked < quickest) {
        quickest = answered - asked;
        long said = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
        ahead = Drift.ahead(said, asked, answered);
      }
    }
    return Duration.of(ahead, ChronoUnit.MICROS);
  }

  /** What the server says, or something else if it will not say it. */
  private static <T> T allowed(Supplier<T> ask, T otherwise) {
    try {
      return ask.get();
    } catch (RedisCommandExecutionException e) {
      return otherwise;
    }
  }

  private Map<String, String> sentinels(RedisURI uri) {
    try (var sentinel =
        Route.told(() -> client.connectSentinelAsync(StringCodec.UTF8, uri)).join()) {
      return sentinel.sync().master(uri.getSentinelMasterId());
    } catch (RedisException | CompletionException e) {
      throw new StoreException(Kind.UNREACHABLE, Trouble.ofConnection(e));
    }
  }

  private List<Server> cluster() {
    RedisClusterClient finder = RedisClusterClient.create(resources, address.nodes());
    try {
      finder.refreshPartitions();
      return finder.getPartitions().stream()
          .map(node -> server(node.getUri(), name(node.getUri())))
          .toList();
    } catch (RedisException e) {
      throw new StoreException(Kind.UNREACHABLE, Trouble.ofConnection(e));
    } finally {
      finder.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
  }

  private static Map<String, String> fields(String text) {
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
