package io.weir.server.resp;

import io.netty.channel.ChannelPipeline;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.weir.Limiter;
import io.weir.metrics.DecisionMetrics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * The open RESP endpoint: one Vert.x server per event loop, all on the same port.
 *
 * <p>A caller has the request timeout to send its first command. After that, a connection may be
 * idle, since clients of Redis keep connections open and take a closed one for a failure.
 */
public final class RespListener {
  // Vert.x: a negative port is a random free port, shared by all servers with the same number.
  private static final int SHARED_RANDOM_PORT = -1_000_000;

  private final List<NetServer> servers = new CopyOnWriteArrayList<>();

  private RespListener() {}

  /**
   * Opens the endpoint; the future fails if its address cannot be bound.
   *
   * @param port 0 for any free port
   * @param headTimeoutHandler the name of the handler that closes a connection without a command
   */
  public static Future<RespListener> open(
      Vertx vertx,
      NetServerOptions options,
      String host,
      int port,
      int loops,
      Limiter limiter,
      DecisionMetrics metrics,
      String headTimeoutHandler) {
    RespListener listener = new RespListener();
    return vertx
        .deployVerticle(
            () ->
                new VerticleBase() {
                  @Override
                  public Future<?> start() {
                    return vertx
                        .createNetServer(new NetServerOptions(options).setIdleTimeout(0))
                        .connectHandler(
                            socket ->
                                RespChannel.serve(
                                    socket,
                                    new RespSession(limiter, metrics),
                                    () -> remove((NetSocketInternal) socket, headTimeoutHandler)))
                        .listen(port == 0 ? SHARED_RANDOM_PORT : port, host)
                        .onSuccess(listener.servers::add);
                  }
                },
            new DeploymentOptions().setInstances(loops))
        .map(id -> listener);
  }

  private static void remove(NetSocketInternal socket, String handler) {
    ChannelPipeline pipeline = socket.channelHandlerContext().pipeline();
    if (pipeline.get(handler) != null) {
      pipeline.remove(handler);
    }
  }

  /** Returns the port it listens on. */
  public int port() {
    return servers.get(0).actualPort();
  }

  /** Stops accepting connections and closes those that are open after this time. */
  public Future<Void> close(Duration drain) {
    return Future.join(
            servers.stream().map(s -> s.shutdown(drain.toMillis(), TimeUnit.MILLISECONDS)).toList())
        .mapEmpty();
  }
}
