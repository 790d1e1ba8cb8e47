package io.weir.server.envoy;

import static io.weir.server.envoy.EnvoyRequests.descriptor;
import static io.weir.server.envoy.EnvoyRequests.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Reservation;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
import io.weir.testkit.redis.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that disconnect while their calls wait for a decision are normal and not logged. */
class EnvoyDisconnectTest {
  private static final int CALLS = 50;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final BlockingLimiter limiter = new BlockingLimiter();
  private final WarningLogHandler log = new WarningLogHandler();
  private final RunningRateLimitService service = new RunningRateLimitService(limiter);

  @BeforeEach
  void captureLog() {
    Logger.getLogger("").addHandler(log);
  }

  @AfterEach
  void close() {
    Logger.getLogger("").removeHandler(log);
    limiter.release.complete(null);
    service.close();
  }

  private List<Future<?>> startCalls(Channel channel) {
    List<Future<?>> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      calls.add(
          RateLimitServiceGrpc.newFutureStub(channel)
              .shouldRateLimit(request(descriptor("user", "u" + i))));
    }
    Await.until(TIMEOUT, "all calls wait for a decision", () -> limiter.callCount.get() == CALLS);
    return calls;
  }

  /** Releases the limiter, and waits until the server has handled all earlier events. */
  private void releaseAndAwaitHandling() {
    limiter.release.complete(null);
    Await.sleep(Duration.ofMillis(500));
    try (RunningRateLimitService other = new RunningRateLimitService(limiter)) {
      assertThat(other.call(request(descriptor("user", "another"))).getStatusesCount())
          .isEqualTo(1);
    }
  }

  @Test
  void clientClosesConnectionWithCallsInFlight_logsNothing() {
    startCalls(service.channel);
    service.channel.shutdownNow();
    Await.until(TIMEOUT, "the channel is closed", service.channel::isTerminated);
    Await.sleep(Duration.ofMillis(500));
    releaseAndAwaitHandling();
    assertThat(log.lines).isEmpty();
  }

  @Test
  void connectionBreaksWithCallsInFlight_logsNothing() {
    try (FaultProxy network = FaultProxy.to(service.port())) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", network.port()).usePlaintext().build();
      startCalls(channel);
      network.refuseConnections(true);
      Await.until(TIMEOUT, "the network is down", () -> network.openConnections() == 0);
      releaseAndAwaitHandling();
      channel.shutdownNow();
    }
    assertThat(log.lines).isEmpty();
  }

  @Test
  void clientDeadlinePasses_logsNothing() {
    startCalls(
        ClientInterceptors.intercept(
            service.channel,
            new ClientInterceptor() {
              @Override
              public <Q, R> ClientCall<Q, R> interceptCall(
                  MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
                return next.newCall(method, options.withDeadlineAfter(700, TimeUnit.MILLISECONDS));
              }
            }));
    Await.sleep(Duration.ofSeconds(1));
    releaseAndAwaitHandling();
    assertThat(log.lines).isEmpty();
  }

  @Test
  void clientCancelsCallsInFlight_logsNothing() {
    startCalls(service.channel).forEach(call -> call.cancel(true));
    Await.sleep(Duration.ofMillis(500));
    releaseAndAwaitHandling();
    assertThat(log.lines).isEmpty();
    assertThat(service.call(request(descriptor("user", "x"))).getStatusesCount()).isEqualTo(1);
  }

  @Test
  void healthWatchClientDisconnects_logsNothing() {
    for (int i = 0; i < CALLS; i++) {
      assertThat(
              HealthGrpc.newBlockingStub(service.channel)
                  .watch(HealthCheckRequest.getDefaultInstance())
                  .hasNext())
          .isTrue();
    }
    service.channel.shutdownNow();
    Await.until(TIMEOUT, "the channel is closed", service.channel::isTerminated);
    service.serving.set(false);
    Await.sleep(Duration.ofMillis(1_500));
    releaseAndAwaitHandling();
    assertThat(log.lines).isEmpty();
  }

  /** A limiter that decides only after {@code release} is completed. */
  private static final class BlockingLimiter implements Limiter {
    final CompletableFuture<Void> release = new CompletableFuture<>();
    final AtomicInteger callCount = new AtomicInteger();
    private final Limiter real =
        Weir.inMemory(Rule.named("api").per("user").limit("9/day").build());

    @Override
    public CompletableFuture<Decision> execute(Request request, StoreOperation mode) {
      callCount.incrementAndGet();
      return release.thenCompose(v -> real.execute(request, mode));
    }

    @Override
    public CompletableFuture<List<Decision>> executeAll(
        List<Request> requests, StoreOperation mode) {
      callCount.incrementAndGet();
      return release.thenCompose(v -> real.executeAll(requests, mode));
    }

    @Override
    public CompletableFuture<Reservation> reserve(Request request, Duration ttl) {
      return real.reserve(request, ttl);
    }

    @Override
    public CompletableFuture<Limiter.Permit> acquireAsync(Request request) {
      return real.acquireAsync(request);
    }

    @Override
    public CompletableFuture<List<Limiter.Permit>> acquireAll(List<Request> requests) {
      callCount.incrementAndGet();
      return release.thenCompose(v -> real.acquireAll(requests));
    }

    @Override
    public CompletableFuture<Boolean> complete(Decision decision, int status) {
      return real.complete(decision, status);
    }

    @Override
    public CompletableFuture<Boolean> refund(Decision decision) {
      return real.refund(decision);
    }
  }

  /** Collects log records of level WARNING and above. */
  private static final class WarningLogHandler extends Handler {
    final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord record) {
      if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
        lines.add(record.getMessage() + " " + record.getThrown());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
