package io.weir.server.envoy;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.weir.Limiter;
import io.weir.admin.metrics.ServerMetrics;
import io.weir.store.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The Envoy rate limit service on a free port, with a grpc-java client. */
final class RunningRateLimitService implements AutoCloseable {
  private static final long CALL_TIMEOUT_SECONDS = 30;

  final AtomicBoolean serving = new AtomicBoolean(true);
  final ManagedChannel channel;
  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;

  RunningRateLimitService(Limiter limiter) {
    this(limiter, true, EnvoyStoreFailureMode.FALLBACK);
  }

  RunningRateLimitService(
      Limiter limiter, boolean includeHeaders, EnvoyStoreFailureMode storeFailureMode) {
    EnvoyRateLimitService service =
        new EnvoyRateLimitService(
            vertx,
            limiter,
            new ServerMetrics(Clock.system()).decisionMetrics(),
            new EnvoyRateLimitService.EnvoyServiceOptions(
                includeHeaders, storeFailureMode, serving::get));
    server =
        vertx
            .createHttpServer(EnvoyRateLimitService.configure(new HttpServerOptions()))
            .requestHandler(service.handler())
            .listen(0, "127.0.0.1")
            .await();
    channel = NettyChannelBuilder.forAddress("127.0.0.1", port()).usePlaintext().build();
  }

  int port() {
    return server.actualPort();
  }

  RateLimitResponse call(RateLimitRequest call) {
    return RateLimitServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(CALL_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .shouldRateLimit(call);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    vertx.close().await();
  }
}
