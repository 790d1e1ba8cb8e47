package io.weir.server.rls;

import static io.weir.server.rls.Calls.call;
import static io.weir.server.rls.Calls.descriptor;
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
import io.weir.store.Mode;
import io.weir.testkit.Soon;
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

/**
 * Clients that leave while their calls wait for a decision: normal, and no line in the log each.
 */
class DisconnectTest {
  private static final int CALLS = 50;
  private static final Duration LONG = Duration.ofSeconds(30);

  private final SlowLimiter limiter = new SlowLimiter();
  private final LogCapture log = new LogCapture();
  private final OpenedDoor door = new OpenedDoor(limiter);

  @BeforeEach
  void capture() {
    Logger.getLogger("").addHandler(log);
  }

  @AfterEach
  void close() {
    Logger.getLogger("").removeHandler(log);
    limiter.release.complete(null);
    door.close();
  }

  private List<Future<?>> calls(Channel channel) {
    List<Future<?>> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      calls.add(
          RateLimitServiceGrpc.newFutureStub(channel)
              .shouldRateLimit(call(descriptor("user", "u" + i))));
    }
    Soon.until(LONG, "all calls wait", () -> limiter.asked.get() == CALLS);
    return calls;
  }

  /** Waits until the server has handled whatever came before. */
  private void settle() {
    limiter.release.complete(null);
    Soon.pass(Duration.ofMillis(500));
    try (OpenedDoor other = new OpenedDoor(limiter)) {
      assertThat(other.call(call(descriptor("user", "another"))).getStatusesCount()).isEqualTo(1);
    }
  }

  @Test
  void clientClosesItsConnectionWithCallsInFlight_nothingIsLogged() {
    calls(door.channel);
    door.channel.shutdownNow();
    Soon.until(LONG, "it is closed", door.channel::isTerminated);
    Soon.pass(Duration.ofMillis(500));
    settle();
    assertThat(log.lines).isEmpty();
  }

  @Test
  void connectionBreaksWithCallsInFlight_nothingIsLogged() {
    try (FaultProxy network = FaultProxy.to(door.port())) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", network.port()).usePlaintext().build();
      calls(channel);
      network.refuse(true);
      Soon.until(LONG, "the network is down", () -> network.open() == 0);
      settle();
      channel.shutdownNow();
    }
    assertThat(log.lines).isEmpty();
  }

  @Test
  void deadlineOfTheClientPasses_nothingIsLogged() {
    calls(
        ClientInterceptors.intercept(
            door.channel,
            new ClientInterceptor() {
              @Override
              public <Q, R> ClientCall<Q, R> interceptCall(
                  MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
                return next.newCall(method, options.withDeadlineAfter(700, TimeUnit.MILLISECONDS));
              }
            }));
    Soon.pass(Duration.ofSeconds(1));
    settle();
    assertThat(log.lines).isEmpty();
  }

  @Test
  void clientCancelsCallsInFlight_nothingIsLogged() {
    calls(door.channel).forEach(call -> call.cancel(true));
    Soon.pass(Duration.ofMillis(500));
    settle();
    assertThat(log.lines).isEmpty();
    assertThat(door.call(call(descriptor("user", "x"))).getStatusesCount()).isEqualTo(1);
  }

  @Test
  void clientOfHealthWatchDisconnects_nothingIsLogged() {
    for (int i = 0; i < CALLS; i++) {
      assertThat(
              HealthGrpc.newBlockingStub(door.channel)
                  .watch(HealthCheckRequest.getDefaultInstance())
                  .hasNext())
          .isTrue();
    }
    door.channel.shutdownNow();
    Soon.until(LONG, "it is closed", door.channel::isTerminated);
    door.serving.set(false);
    Soon.pass(Duration.ofMillis(1_500));
    settle();
    assertThat(log.lines).isEmpty();
  }

  /** Decides as a real one, once it is told to. */
  private static final class SlowLimiter implements Limiter {
    final CompletableFuture<Void> release = new CompletableFuture<>();
    final AtomicInteger asked = new AtomicInteger();
    private final Limiter real =
        Weir.inMemory(Rule.named("api").per("user").limit("9/day").build());

    @Override
    public CompletableFuture<Decision> ask(Request request, Mode mode) {
      asked.incrementAndGet();
      return release.thenCompose(v -> real.ask(request, mode));
    }

    @Override
    public CompletableFuture<List<Decision>> askAll(List<Request> requests, Mode mode) {
      asked.incrementAndGet();
      return release.thenCompose(v -> real.askAll(requests, mode));
    }

    @Override
    public CompletableFuture<Reservation> reserve(Request request, Duration ttl) {
      return real.reserve(request, ttl);
    }

    @Override
    public CompletableFuture<Boolean> refund(Decision decision) {
      return real.refund(decision);
    }
  }

  /** Everything that is logged as a warning or worse. */
  private static final class LogCapture extends Handler {
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
