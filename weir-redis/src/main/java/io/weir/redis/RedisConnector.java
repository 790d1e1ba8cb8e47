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
 * Opens connections to Redis. Requests sent over a broken connection are never sent again, and no
 * request is queued while there is no connection: a request without a reply may have been charged.
 */
interface RedisConnector extends AutoCloseable {

  CompletionStage<DriverConnection> connect();

  /** Returns the server that a new connection would lead to now; empty where it never changes. */
  default CompletionStage<String> resolveTarget() {
    return CompletableFuture.completedFuture("");
  }

  @Override
  void close();

  /** An open connection of the driver. */
  interface DriverConnection {
    StatefulConnection<byte[], byte[]> connection();

    RedisClusterAsyncCommands<byte[], byte[]> commands();

    /** Loads a function library on every server that may receive calls. */
    CompletableFuture<?> loadLibrary(byte[] library);
  }

  static RedisConnector create(
      RedisAddress address, ClientResources resources, TimeoutOptions timeouts) {
    return address.kind() == RedisAddress.RedisAddressKind.CLUSTER
        ? new ClusterConnector(address, resources, timeouts)
        : new StandaloneConnector(address, resources, timeouts);
  }

  /** Connects; retries once if the driver lost the reason of a failure, to obtain the reason. */
  static <T> CompletableFuture<T> connectRetryingLostReason(
      Supplier<? extends CompletionStage<T>> connect) {
    return connect
        .get()
        .toCompletableFuture() // stages composed on the driver's own futures never complete
        .exceptionallyCompose(
            failure ->
                RedisFailures.isReasonLost(failure)
                    ? connect.get()
                    : CompletableFuture.failedFuture(failure));
  }

  private static SocketOptions socketOptions() {
    return SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).tcpNoDelay(true).build();
  }

  /** Connects to one server, either fixed or looked up from sentinels for each connection. */
  final class StandaloneConnector implements RedisConnector {
    private final RedisClient client;
    private final RedisAddress address;

    StandaloneConnector(RedisAddress address, ClientResources resources, TimeoutOptions timeouts) {
      this.address = address;
      client = RedisClient.create(resources);
      client.setOptions(
          ClientOptions.builder()
              .autoReconnect(false)
              .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
              .socketOptions(socketOptions())
              .timeoutOptions(timeouts)
              .build());
    }

    @Override
    public CompletionStage<DriverConnection> connect() {
      RedisURI server = address.nodes().get(0);
      return RedisConnector.connectRetryingLostReason(
              () -> client.connectAsync(ByteArrayCodec.INSTANCE, server))
          .thenApply(StandaloneDriverConnection::new);
    }

    @Override
    public CompletionStage<String> resolveTarget() {
      RedisURI uri = address.nodes().get(0);
      if (address.kind() != RedisAddress.RedisAddressKind.SENTINEL) {
        return CompletableFuture.completedFuture("");
      }
      return RedisConnector.connectRetryingLostReason(
              () -> client.connectSentinelAsync(ByteArrayCodec.INSTANCE, uri))
          .thenCompose(
              sentinel ->
                  sentinel
                      .async()
                      .getMasterAddrByName(uri.getSentinelMasterId().getBytes(UTF_8))
                      .thenApply(String::valueOf)
                      .whenComplete(
                          (target, failure) -> {
                            var unused = sentinel.closeAsync();
                          }));
    }

    @Override
    public void close() {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }

    private record StandaloneDriverConnection(StatefulRedisConnection<byte[], byte[]> connection)
        implements DriverConnection {
      @Override
      public RedisClusterAsyncCommands<byte[], byte[]> commands() {
        return connection.async();
      }

      @Override
      public CompletableFuture<?> loadLibrary(byte[] library) {
        return connection
            .async()
            .functionLoad(new String(library, UTF_8), true)
            .toCompletableFuture();
      }
    }
  }

  /**
   * Connects to a cluster. The driver tracks which node serves which slot. It connects to a node on
   * first use, so a call may wait for a connection, for as long as for a reply.
   */
  final class ClusterConnector implements RedisConnector {
    private final RedisClusterClient client;

    ClusterConnector(RedisAddress address, ClientResources resources, TimeoutOptions timeouts) {
      client = RedisClusterClient.create(resources, address.nodes());
      ClusterClientOptions.Builder options =
          ClusterClientOptions.builder()
              .validateClusterNodeMembership(false)
              .topologyRefreshOptions(
                  ClusterTopologyRefreshOptions.builder()
                      .adaptiveRefreshTriggersTimeout(Duration.ofMillis(250))
                      .enablePeriodicRefresh(Duration.ofSeconds(2))
                      .build())
              .socketOptions(socketOptions())
              .timeoutOptions(timeouts);
      options.replayFilter(ClusterConnector::failInsteadOfReplay);
      client.setOptions(options.build());
    }

    /** Fails a command that the driver would otherwise keep and send over the next connection. */
    private static boolean failInsteadOfReplay(@Nullable RedisCommand<?, ?, ?> command) {
      if (command != null) {
        command.completeExceptionally(
            new RedisException("the connection to a cluster node was lost"));
      }
      return true;
    }

    @Override
    public CompletionStage<DriverConnection> connect() {
      return client
          .refreshPartitionsAsync()
          .thenCompose(unused -> client.connectAsync(ByteArrayCodec.INSTANCE))
          .thenApply(ClusterDriverConnection::new);
    }

    @Override
    public void close() {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }

    private record ClusterDriverConnection(
        StatefulRedisClusterConnection<byte[], byte[]> connection) implements DriverConnection {
      @Override
      public RedisClusterAsyncCommands<byte[], byte[]> commands() {
        return connection.async();
      }

      @Override
      public CompletableFuture<?> loadLibrary(byte[] library) {
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
