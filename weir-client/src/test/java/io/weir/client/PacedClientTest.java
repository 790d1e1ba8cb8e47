package io.weir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Weir;
import io.weir.client.RateLimitedServer.ReceivedCall;
import io.weir.rule.Rule;
import io.weir.testkit.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.web.client.RestClient;

/** Tests a paced client over real sockets. */
@Timeout(120)
@Tag("slow")
class PacedClientTest {
  private static final HttpClient PLAIN =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static HttpRequest get(URI uri, String user) {
    return HttpRequest.newBuilder(uri).header("User", user).build();
  }

  private static RateLimitedServer server(String algorithm, String limit) {
    return RateLimitedServer.start(
        Weir.inMemory(Rule.named("calls").per("user").algorithm(algorithm).limit(limit).build()));
  }

  @Test
  void twiceTheLoad_hardlyAnyCallIsRefused() {
    try (RateLimitedServer server = server("token-bucket", "50/second")) {
      PacedClient client =
          PacedClient.over(PLAIN, Pacing.builder().maxWait(Duration.ofSeconds(60)).build());
      List<CompletableFuture<HttpResponse<Void>>> calls = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        calls.add(client.sendAsync(get(server.uri("/v1/x"), "u"), BodyHandlers.discarding()));
        Await.sleep(Duration.ofMillis(10));
      }
      assertThat(calls).allMatch(c -> c.join().statusCode() == 200);
      assertThat(server.count(429)).isLessThanOrEqualTo(4);
    }
  }

  @Test
  void thousandRefusedClients_retrySpreadOutAndNotEarly() {
    int clients = 1000;
    try (RateLimitedServer server = server("token-bucket", "1/8s")) {
      List<CompletableFuture<HttpResponse<Void>>> calls = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        var spent = server.spend("u" + i);
        assertThat(spent.allowed()).isTrue();
        PacedClient client = PacedClient.over(PLAIN).within(Duration.ofSeconds(60));
        calls.add(client.sendAsync(get(server.uri("/v1/x"), "u" + i), BodyHandlers.discarding()));
      }
      assertThat(calls).allMatch(c -> c.join().statusCode() == 200);
      Map<String, ReceivedCall> refused = new HashMap<>();
      List<Long> later = new ArrayList<>();
      for (ReceivedCall arrival : server.arrivals) {
        ReceivedCall before = refused.putIfAbsent(arrival.user(), arrival);
        if (before != null && arrival.status() == 200) {
          later.add(arrival.micros() - before.micros() - before.retryAfter() * 1_000_000L);
        }
      }
      int atFirst = (int) refused.values().stream().filter(a -> a.status() == 429).count();
      assertThat(atFirst).as("refused at first").isGreaterThan(clients / 2);
      assertThat(server.arrivals.size()).isLessThanOrEqualTo((clients + atFirst) * 11 / 10);
      assertThat(later).hasSize(atFirst).as("none before its Retry-After").allMatch(l -> l >= 0);
      Map<Long, Long> perTenth =
          later.stream().collect(Collectors.groupingBy(l -> l / 100_000, Collectors.counting()));
      assertThat(perTenth.values()).as("spread").allMatch(n -> n <= atFirst / 3);
    }
  }

  @Test
  void onlyFinalAnswer_hasBody() throws Exception {
    try (RateLimitedServer server = server("token-bucket", "50/second")) {
      server.failuresLeft.set(2);
      AtomicInteger bodies = new AtomicInteger();
      HttpResponse<InputStream> answer =
          PacedClient.over(
                  PLAIN,
                  Pacing.builder().backoff(Duration.ofMillis(10), Duration.ofSeconds(1)).build())
              .send(
                  get(server.uri("/a"), "u"),
                  info -> {
                    bodies.incrementAndGet();
                    return BodySubscribers.ofInputStream();
                  });
      answer.body().close();
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(server.count(503)).isEqualTo(2);
      assertThat(bodies).hasValue(1);
    }
  }

  @Test
  void failedCall_isRetriedIfIdempotent() throws Exception {
    try (RateLimitedServer server = server("token-bucket", "50/second")) {
      PacedClient client = PacedClient.over(PLAIN);
      server.failuresLeft.set(1);
      assertThat(client.send(get(server.uri("/a"), "u"), BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);
      server.failuresLeft.set(1);
      HttpRequest post =
          HttpRequest.newBuilder(server.uri("/a"))
              .POST(HttpRequest.BodyPublishers.ofString("x"))
              .build();
      assertThat(client.send(post, BodyHandlers.ofString()).statusCode()).isEqualTo(503);
    }
  }

  @Test
  void unreachableServer_failsAfterRetries() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    PacedClient client =
        PacedClient.over(
            PLAIN,
            Pacing.builder()
                .maxAttempts(2)
                .backoff(Duration.ofMillis(10), Duration.ofSeconds(1))
                .build());
    assertThatThrownBy(
            () ->
                client.send(
                    get(URI.create("http://127.0.0.1:" + port + "/"), "u"),
                    BodyHandlers.discarding()))
        .isInstanceOf(IOException.class);
  }

  @Test
  void canceledCall_leavesQueue() throws Exception {
    try (RateLimitedServer server = server("sliding-log", "1/hour")) {
      Pacing pacing = Pacing.builder().maxWait(Duration.ofHours(2)).build();
      PacedClient client = PacedClient.over(PLAIN, pacing);
      HttpRequest request = get(server.uri("/v1/x"), "u");
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
      CompletableFuture<HttpResponse<Void>> waiting =
          client.sendAsync(request, BodyHandlers.discarding());
      assertThat(waiting).isNotDone();
      assertThat(waiting.cancel(true)).isTrue();
      CountDownLatch interrupted = new CountDownLatch(1);
      Thread blocked =
          new Thread(
              () -> {
                try {
                  client.send(request, BodyHandlers.discarding());
                } catch (InterruptedException e) {
                  interrupted.countDown();
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      blocked.start();
      blocked.interrupt();
      assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(server.arrivals).hasSize(1);
    }
  }

  @Test
  void callThatWouldWaitTooLong_isNotSent() throws Exception {
    try (RateLimitedServer server = server("sliding-log", "1/hour")) {
      PacedClient client =
          PacedClient.over(PLAIN, Pacing.builder().maxWait(Duration.ofMinutes(1)).build());
      HttpRequest request = get(server.uri("/v1/x"), "u");
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
      assertThatThrownBy(() -> client.send(request, BodyHandlers.discarding()))
          .isInstanceOf(PacingException.class);
      PacedClient impatient = client.within(Duration.ofMillis(1));
      assertThatThrownBy(() -> impatient.sendAsync(request, BodyHandlers.discarding()).join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(PacingException.class);
      assertThat(server.arrivals).hasSize(1);
    }
  }

  @Test
  void restClientWithInterceptor_isPaced() {
    try (RateLimitedServer server = server("fixed-window", "3/2s")) {
      RestClient client =
          RestClient.builder()
              .requestInterceptor(new PacedInterceptor(Pacing.defaults()))
              .defaultHeader("User", "u")
              .build();
      for (int i = 0; i < 5; i++) {
        server.failuresLeft.set(i == 1 ? 1 : 0);
        client.get().uri(server.uri("/v1/x")).retrieve().toBodilessEntity();
      }
      assertThat(server.count(200)).isEqualTo(5);
      assertThat(server.count(503)).isEqualTo(1);
      assertThat(server.count(429)).isZero();
    }
  }
}
