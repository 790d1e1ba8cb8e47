package io.weir.client;

import static io.weir.testkit.DecisionAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Reservation;
import io.weir.Weir;
import io.weir.http.DecisionJson;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.server.DecisionServer;
import io.weir.store.Clock;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a remote limiter with a server that is available, slow, invalid or unavailable. */
@Timeout(120)
class RemoteLimiterTest {
  private static final Request ANNA = Request.of("user", "anna \"é\n");
  private static final Duration LONG_DEADLINE = Duration.ofSeconds(20);

  @TempDir Path folder;

  private DecisionServer server(int port) throws IOException {
    return WeirTestServer.start(folder, port);
  }

  private static RemoteLimiterBuilder at(int port) {
    return RemoteLimiter.at("http://127.0.0.1:" + port);
  }

  private static RemoteLimiterBuilder at(DecisionServer server) {
    return at(server.port("http").orElseThrow()).deadline(LONG_DEADLINE);
  }

  @Test
  void remoteLimiter_decidesLikeServer() throws IOException {
    try (DecisionServer server = server(0);
        Limiter limiter = at(server).build()) {
      assertThat(limiter.peek(ANNA).join()).isAllowed().hasRemaining(10);
      assertThat(limiter.decideNow(ANNA.cost(4))).isAllowed().hasRemaining(6).boundBy("api");
      assertThat(limiter.decideNow(Request.of("user", "bert"))).isAllowed().hasRemaining(9);
      Decision refused = limiter.decideNow(ANNA.cost(7));
      assertThat(refused).isRefused().isNotDegraded().hasRemaining(6);
      assertThat(refused.retryAfter()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
      assertThat(limiter.peek(ANNA.cost(7)).join()).isRefused();
      assertThat(limiter.decideNow(ANNA.cost(11))).neverFits();
      assertThat(limiter.decideNow(Request.of("ip", "10.0.0.1"))).isAllowed();
      assertThat(refused.revision()).isPositive();
    }
  }

  @Test
  void reservation_isSettledOnce() throws IOException {
    try (DecisionServer server = server(0)) {
      try (Limiter limiter = at(server).build()) {
        Reservation held = limiter.reserve(ANNA.cost(8), Duration.ofMinutes(1)).join();
        assertThat(held.decision()).isAllowed().hasRemaining(2);
        assertThat(limiter.reserve(ANNA.cost(3), Duration.ofMinutes(1)).join().decision())
            .isRefused();
        assertThat(held.commit(3).join()).isTrue();
        assertThat(held.commit(3).join()).isFalse();
        assertThat(limiter.peek(ANNA).join()).hasRemaining(7);
        Reservation open = limiter.reserve(ANNA.cost(7), Duration.ofMinutes(1)).join();
        assertThat(open.decision()).isAllowed();
      }
      try (Limiter again = at(server).build()) {
        assertThat(again.peek(ANNA).join()).as("released on close").hasRemaining(7);
      }
    }
  }

  @Test
  void severalRequests_areAdmittedTogetherOrNotAtAll() throws IOException {
    try (DecisionServer server = server(0);
        Limiter limiter = at(server).build()) {
      Request bert = Request.of("user", "bert");
      assertThat(
              limiter.executeAll(List.of(ANNA.cost(6), bert.cost(5)), StoreOperation.TAKE).join())
          .allMatch(Decision::allowed);
      List<Decision> some =
          limiter
              .executeAll(List.of(ANNA.cost(2), bert.cost(6), ANNA.cost(3)), StoreOperation.TAKE)
              .join();
      assertThat(some).extracting(Decision::allowed).containsExactly(true, false, false);
      assertThat(limiter.peek(ANNA).join()).hasRemaining(4);
      assertThat(limiter.peek(bert).join()).hasRemaining(5);
      assertThat(limiter.executeAll(List.of(ANNA), StoreOperation.PEEK).join()).hasSize(1);
    }
  }

  @Test
  void unsupportedOperations_areRejected() {
    Limiter limiter = at(1).build();
    assertThatThrownBy(() -> limiter.charge(ANNA))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("reserve and commit");
    assertThatThrownBy(() -> limiter.reset(ANNA)).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> limiter.executeAll(List.of(ANNA, ANNA), StoreOperation.PEEK))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> RemoteLimiter.at("localhost:8080"))
        .hasMessageContaining("expected http://host:port");
    assertThatThrownBy(() -> at(1).onFailure(StoreFailureFallback.local(10)))
        .hasMessageContaining("onFailure(Weir.inMemory(rules))");
    assertThatThrownBy(() -> at(1).deadline(Duration.ZERO)).hasMessageContaining("100ms");
  }

  /** Records the events of the service. */
  private static final class ServiceEventRecorder implements StoreListener {
    private final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void onFailure(StoreFailureKind kind, String reason) {
      events.add(kind.name());
    }

    @Override
    public void onUnavailable(String reason) {
      events.add("lost");
    }

    @Override
    public void onRecovery(Duration away) {
      events.add("found");
    }
  }

  @Test
  void lostServer_isReplacedByFallbackUntilItReturns() throws IOException {
    ServiceEventRecorder recorder = new ServiceEventRecorder();
    int port;
    try (DecisionServer server = server(0)) {
      port = server.port("http").orElseThrow();
    }
    try (RemoteLimiter open = at(port).deadline(Duration.ofSeconds(1)).listener(recorder).build()) {
      assertThat(open.decideNow(ANNA)).isAllowed().isDegraded();
      Await.until(
          Duration.ofSeconds(60),
          "lost",
          () -> {
            assertThat(open.decideNow(ANNA)).isAllowed().isDegraded();
            return !open.available();
          });
      assertThat(recorder.events).contains("UNREACHABLE", "lost");
      try (DecisionServer back = server(port)) {
        Await.until(Duration.ofSeconds(60), "found again", () -> !open.decideNow(ANNA).degraded());
        assertThat(open.available()).isTrue();
        assertThat(back.port("http")).hasValue(port);
        assertThat(recorder.events).contains("found");
      }
    }
  }

  @Test
  void storeOfServerIsUnavailable_decisionOfServerCounts() throws IOException {
    byte[] body =
        DecisionJson.format(FallbackLimiter.CLOSED.decideNow(ANNA))
            .getBytes(StandardCharsets.UTF_8);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(503, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try (RemoteLimiter limiter =
        at(server.getAddress().getPort()).onFailure(StoreFailureFallback.OPEN).build()) {
      Decision decision = limiter.decideNow(ANNA);
      assertThat(decision).isRefused().isDegraded().retriesAfter(Duration.ofSeconds(1));
      assertThat(decision.storeUnavailable()).isTrue();
      assertThat(limiter.available()).as("the server answers").isTrue();
    } finally {
      server.stop(0);
    }
  }

  @Test
  void build_connectsBeforeFirstDecision() throws IOException {
    List<String> requests = new CopyOnWriteArrayList<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
          exchange.sendResponseHeaders(404, -1);
        });
    server.start();
    try (RemoteLimiter limiter = at(server.getAddress().getPort()).build()) {
      assertThat(requests).containsExactly("GET /");
      assertThat(limiter.available()).isTrue();
    } finally {
      server.stop(0);
    }
  }

  @Test
  void silentServer_isNotAwaitedPastDeadline() throws IOException {
    Clock clock = Clock.system();
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Limiter closed =
            at(silent.getLocalPort())
                .deadline(Duration.ofMillis(50))
                .onFailure(StoreFailureFallback.CLOSED)
                .build()) {
      long began = clock.micros();
      Decision decision = closed.decideNow(ANNA);
      assertThat(clock.micros() - began).isBetween(50_000L, 10_000_000L);
      assertThat(decision).isRefused().isDegraded().retriesAfter(Duration.ofSeconds(1));
      Reservation nothing = closed.reserve(ANNA, Duration.ofMinutes(1)).join();
      assertThat(nothing.decision()).isRefused().isDegraded();
      assertThat(nothing.commit(1).join()).isFalse();
    }
  }

  @Test
  void fallbackLimiter_countsLocally() {
    Limiter here = Weir.inMemory(Rule.named("here").per("user").limit("2/hour").build());
    try (Limiter limiter = at(1).onFailure(here).build()) {
      assertThat(limiter.decideNow(ANNA)).isAllowed().isDegraded().boundBy("here").hasRemaining(1);
      assertThat(limiter.decideNow(ANNA)).isAllowed().isDegraded();
      assertThat(limiter.decideNow(ANNA)).isRefused().isDegraded();
    }
  }

  @Test
  void otherServer_isTreatedAsFailure() {
    ServiceEventRecorder recorder = new ServiceEventRecorder();
    try (RateLimitedServer other =
            RateLimitedServer.start(Weir.inMemory(Rule.named("r").limit("1/hour").build()));
        Limiter limiter =
            RemoteLimiter.at(other.uri("").toString())
                .deadline(LONG_DEADLINE)
                .listener(recorder)
                .build()) {
      assertThat(limiter.decideNow(ANNA)).isAllowed().isDegraded();
      assertThat(recorder.events).containsExactly("GARBLED");
    }
  }

  @Test
  void badInput_doesNotOpenCircuitBreaker() throws IOException {
    ServiceEventRecorder recorder = new ServiceEventRecorder();
    try (DecisionServer server = server(0);
        RemoteLimiter limiter =
            at(server).onFailure(StoreFailureFallback.CLOSED).listener(recorder).build()) {
      for (int i = 0; i < 10; i++) {
        assertThat(limiter.decideNow(Request.of("user", "x".repeat(65_536))))
            .isRefused()
            .isDegraded();
      }
      assertThat(recorder.events).containsOnly("ERROR");
      assertThat(limiter.available()).isTrue();
      assertThat(limiter.decideNow(ANNA)).isAllowed().isNotDegraded();
    }
  }
}
