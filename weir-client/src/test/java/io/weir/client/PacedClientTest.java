package io.weir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Weir;
import io.weir.client.LimitedServer.Arrival;
import io.weir.rule.Rule;
import io.weir.testkit.Soon;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.web.client.RestClient;

/** A paced client over real sockets. */
@Timeout(120)
class PacedClientTest {
  private static final HttpClient PLAIN =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static HttpRequest get(URI uri, String user) {
    return HttpRequest.newBuilder(uri).header("User", user).build();
  }

  private static LimitedServer server(String algorithm, String limit) {
    return LimitedServer.start(
        Weir.inMemory(Rule.named("calls").per("user").algorithm(algorithm).limit(limit).build()));
  }

  @Test
  void atTwiceTheLoadHardlyAnyCallIsRefused() {
    try (LimitedServer server = server("token-bucket", "50/second")) {
      PacedClient client =
          PacedClient.over(PLAIN, Pacing.builder().longestWait(Duration.ofSeconds(60)).build());
      List<CompletableFuture<HttpResponse<Void>>> calls = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        calls.add(client.sendAsync(get(server.uri("/v1/x"), "u"), BodyHandlers.discarding()));
        Soon.pass(Duration.ofMillis(10));
      }
      assertThat(calls).allMatch(c -> c.join().statusCode() == 200);
      assertThat(server.count(429)).isLessThanOrEqualTo(4);
    }
  }

  @Test
  void aThousandClientsRefusedAtOnceComeBackSpreadAndNotEarly() {
    int clients = 1000;
    try (LimitedServer server = server("fixed-window", "1/3s")) {
      List<CompletableFuture<HttpResponse<Void>>> calls = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        // each has spent its only permit already
        var unused = server.spend("u" + i);
      }
      for (int i = 0; i < clients; i++) {
        PacedClient client =
            PacedClient.over(PLAIN, Pacing.builder().longestWait(Duration.ofSeconds(60)).build());
        calls.add(client.sendAsync(get(server.uri("/v1/x"), "u" + i), BodyHandlers.discarding()));
      }
      assertThat(calls).allMatch(c -> c.join().statusCode() == 200);
      Map<String, Arrival> refused = new HashMap<>();
      long first = Long.MAX_VALUE;
      long last = 0;
      for (Arrival arrival : server.arrivals) {
        Arrival before = refused.put(arrival.user(), arrival);
        if (before != null) {
          assertThat(arrival.micros() - before.micros())
              .as("none before its Retry-After")
              .isGreaterThanOrEqualTo(before.retryAfter() * 1_000_000L);
          first = Math.min(first, arrival.micros());
          last = Math.max(last, arrival.micros());
        }
      }
      long least = clients + server.count(429);
      assertThat(server.count(429)).as("most came within the window").isGreaterThan(clients / 2);
      assertThat(server.arrivals.size()).isLessThanOrEqualTo((int) (least * 1.1));
      assertThat(last - first).as("spread").isGreaterThan(500_000);
    }
  }

  @Test
  void whatFailsIsSentAgainAndWhatIsNotSafeIsNot() throws Exception {
    try (LimitedServer server = server("token-bucket", "50/second")) {
      PacedClient client = PacedClient.over(PLAIN);
      server.failing.set(1);
      assertThat(client.send(get(server.uri("/a"), "u"), BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);
      server.failing.set(1);
      HttpRequest post =
          HttpRequest.newBuilder(server.uri("/a"))
              .POST(HttpRequest.BodyPublishers.ofString("x"))
              .build();
      assertThat(client.send(post, BodyHandlers.ofString()).statusCode()).isEqualTo(503);
    }
  }

  @Test
  void aServerThatIsNotThereFailsInTheEnd() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    PacedClient client =
        PacedClient.over(
            PLAIN,
            Pacing.builder()
                .attempts(2)
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
  void aCallThatIsCancelledLeavesItsPlace() throws Exception {
    try (LimitedServer server = server("fixed-window", "1/hour")) {
      Pacing pacing = Pacing.builder().longestWait(Duration.ofHours(2)).build();
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
  void aCallPastItsTimeIsNotSent() throws Exception {
    try (LimitedServer server = server("fixed-window", "1/hour")) {
      PacedClient client =
          PacedClient.over(PLAIN, Pacing.builder().longestWait(Duration.ofMillis(200)).build());
      HttpRequest request = get(server.uri("/v1/x"), "u");
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
      assertThatThrownBy(() -> client.send(request, BodyHandlers.discarding()))
          .isInstanceOf(PaceException.class);
      assertThatThrownBy(() -> client.sendAsync(request, BodyHandlers.discarding()).join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(PaceException.class);
      assertThat(server.arrivals).hasSize(1);
    }
  }

  @Test
  void springsClientIsPacedByAnInterceptor() {
    try (LimitedServer server = server("fixed-window", "3/2s")) {
      RestClient client =
          RestClient.builder()
              .requestInterceptor(new PacedInterceptor(Pacing.usual()))
              .defaultHeader("User", "u")
              .build();
      for (int i = 0; i < 5; i++) {
        server.failing.set(i == 1 ? 1 : 0);
        client.get().uri(server.uri("/v1/x")).retrieve().toBodilessEntity();
      }
      assertThat(server.count(200)).isEqualTo(5);
      assertThat(server.count(503)).isEqualTo(1);
      assertThat(server.count(429)).isZero();
    }
  }
}
