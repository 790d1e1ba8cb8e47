package io.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a connection is made. What was sent over one that broke is never sent again, and nothing
 * waits for one to come: a request that was not answered may have been charged.
 */
interface Route extends AutoCloseable {

  CompletionStage<Wire> connect();

  /** Where a connection would lead now, for who has one that may lead elsewhere. */
  default CompletionStage<String> destination() {
    return CompletableFuture.completedFuture("");
  }

  @Override
  void close();

  /** A connection, with what can be done over it. */
  interface Wire {
    StatefulConnection<byte[], byte[]> connection();

    RedisClusterAsyncCommands<byte[], byte[]> commands();

    /** Loads a library of functions on every server that may be asked. */
    CompletableFuture<?> load(byte[] library);
  }

  static Route to(Address address, ClientResources resources, TimeoutOptions patience) {
    return address.kind() == Address.Kind.CLUSTER
        ? new ClusterRoute(address, resources, patience)
        : new SingleRoute(address, resources, patience);
  }

  /** Connects, and again if the driver has lost the reason of a failure, which is then told. */
  static <T> CompletableFuture<T> told(Supplier<? extends CompletionStage<T>> connect) {
    return connect
        .get()
        .toCompletableFuture() // the driver's own kind never completes what is composed so
        .exceptionallyCompose(
            failure ->
                Trouble.isUntold(failure)
                    ? connect.get()
                    : CompletableFuture.failedFuture(failure));
  }

  private static SocketOptions sockets() {
    return SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).tcpNoDelay(true).build();
  }

  /** To one server, named or found by asking sentinels anew for each connection. */
  final class SingleRoute implements Route {
    private final RedisClient client;
    private final Address address;

    SingleRoute(Address address, ClientResources resources, TimeoutOptions patience) {
      this.address = address;
      client = RedisClient.create(resources);
      client.setOptions(
          ClientOptions.builder()
              .autoReconnect(false)
              .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
              .socketOptions(sockets())
              .timeoutOptions(patience)
              .build());
    }

    @Override
    public CompletionStage<Wire> connect() {
      RedisURI server = address.nodes().get(0);
      return Route.told(() -> client.connectAsync(ByteArrayCodec.INSTANCE, server))
          .thenApply(SingleWire::new);
    }

    @Override
    public CompletionStage<String> destination() {
      RedisURI uri = address.nodes().get(0);
      if (address.kind() != Address.Kind.SENTINEL) {
        return CompletableFuture.completedFuture("");
      }
      return Route.told(() -> client.connectSentinelAsync(ByteArrayCodec.INSTANCE, uri))
          .thenCompose(
              sentinel ->
                  sentinel
                      .async()
                      .getMasterAddrByName(uri.getSentinelMasterId().getBytes(UTF_8))
                      .thenApply(String::valueOf)
                      .whenComplete(
                          (where, failure) -> {
                            var unused = sentinel.closeAsync();
                          }));
    }

    @Override
    public void close() {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }

    private record SingleWire(StatefulRedisConnection<byte[], byte[]> connection) implements Wire {
      @Override
      public RedisClusterAsyncCommands<byte[], byte[]> commands() {
        return connection.async();
      }

      @Override
      public CompletableFuture<?> load(byte[] library) {
        return connection
            .async()
            .functionLoad(new String(library, UTF_8), true)
            .toCompletableFuture();
      }
    }
  }

  /**
   * To a cluster: the driver knows which node has which slot and follows when that changes. It
   * connects to a node when that is first needed, so a call may wait for a connection here, for as
   * long as for an answer.
   */
  final class ClusterRoute implements Route {
    private final RedisClusterClient client;

    ClusterRoute(Address address, ClientResources resources, TimeoutOptions patience) {
      client = RedisClusterClient.create(resources, address.nodes());
      ClusterClientOptions.Builder options =
          ClusterClientOptions.builder()
              .validateClusterNodeMembership(false)
              .topologyRefreshOptions(
                  ClusterTopologyRefreshOptions.builder()
                      .adaptiveRefreshTriggersTimeout(Duration.ofMillis(250))
                      .enablePeriodicRefresh(Duration.ofSeconds(2))
                      .build())
              .socketOptions(sockets())
              .timeoutOptions(patience);
      options.replayFilter(ClusterRoute::fail);
      client.setOptions(options.build());
    }

    /** Whether not to keep what cannot be sent now, which the driver would else do for later. */
    private static boolean fail(@Nullable RedisCommand<?, ?, ?> command) {
      if (command != null) {
        command.completeExceptionally(new RedisException("the connection to a node is broken"));
      }
      return true;
    }

    @Override
    public CompletionStage<Wire> connect() {
      return client
          .refreshPartitionsAsync()
          .thenCompose(unused -> client.connectAsync(ByteArrayCodec.INSTANCE))
          .thenApply(ClusterWire::new);
    }

    @Override
    public void close() {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }

    private record ClusterWire(StatefulRedisClusterConnection<byte[], byte[]> connection)
        implements Wire {
      @Override
      public RedisClusterAsyncCommands<byte[], byte[]> commands() {
        return connection.async();
      }

      @Override
      public CompletableFuture<?> load(byte[] library) {
        List<CompletableFuture<?>> loads = new ArrayList<>();
        for (RedisClusterNode node : connection.getPartitions()) {
          if (node.is(RedisClusterNode.NodeFlag.UPSTREAM)
              && !node.is(RedisClusterNode.NodeFlag.FAIL)) {
            loads.add(
                connection
                    .getConnectionAsync(node.getNodeId())
                    .thenCompose(c -> c.async().functionLoad(new String(library, UTF_8), true)));
          }
        }
        return CompletableFuture.allOf(loads.toArray(new CompletableFuture<?>[0]));
      }
    }
  }
}
