package io.weir.server.rls;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.weir.Limiter;
import io.weir.server.metrics.Metrics;
import io.weir.store.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The door on a free port, and a client of another make, grpc-java's, to it. */
final class OpenedDoor implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 30;

  final AtomicBoolean serving = new AtomicBoolean(true);
  final ManagedChannel channel;
  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;

  OpenedDoor(Limiter limiter) {
    this(limiter, true, Silence.POSTURE);
  }

  OpenedDoor(Limiter limiter, boolean headers, Silence silence) {
    RateLimitDoor door =
        new RateLimitDoor(
            vertx,
            limiter,
            new Metrics(Clock.system()).decisions(),
            new RateLimitDoor.Settings(headers, silence, serving::get));
    server =
        vertx
            .createHttpServer(RateLimitDoor.tune(new HttpServerOptions()))
            .requestHandler(door.handler())
            .listen(0, "127.0.0.1")
            .await();
    channel = NettyChannelBuilder.forAddress("127.0.0.1", port()).usePlaintext().build();
  }

  int port() {
    return server.actualPort();
  }

  RateLimitResponse call(RateLimitRequest call) {
    return RateLimitServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .shouldRateLimit(call);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    vertx.close().await();
  }
}
