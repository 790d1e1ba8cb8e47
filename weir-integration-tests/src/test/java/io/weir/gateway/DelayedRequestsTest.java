package io.weir.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.weir.server.RunningServer;
import io.weir.store.Clock;
import io.weir.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that a leaky bucket admits with a delay. */
@Tag("slow")
class DelayedRequestsTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  private static final String PEEK = "{\"attributes\":{\"ip\":\"127.0.0.1\"}}";

  @TempDir Path folder;

  private RunningServer gateway(RecordingUpstream up, String limit, int queue, String... flags) {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "upstream";
    all[1] = up.url();
    String rules =
        "rules: [{id: q, per: [ip], limit: %s, burst: %d, algorithm: leaky-bucket}]"
            .formatted(limit, queue);
    return GatewayTestServer.start(folder, rules, all);
  }

  private static boolean hasCapacity(RunningServer server) {
    return server.post("/v1/peek", PEEK).body().contains("\"allowed\":true");
  }

  @Test
  void burstAboveTheQueue_isDelayedAtASteadyRateAndTheRestRefused() {
    List<Long> arrivalMicros = new CopyOnWriteArrayList<>();
    Clock clock = Clock.system();
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  arrivalMicros.add(clock.micros());
                  out.write(RecordingUpstream.OK_RESPONSE.getBytes(ISO_8859_1));
                  return true;
                });
        RunningServer server = gateway(up, "1/2s", 3)) {
      List<RawHttpClient> wires = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        wires.add(RawHttpClient.connect(server.port("gateway")).send(GET));
      }
      List<String> answers = wires.stream().map(RawHttpClient::readResponse).toList();
      assertThat(answers).filteredOn(a -> a.startsWith("HTTP/1.1 200")).hasSize(3);
      assertThat(answers).filteredOn(a -> a.startsWith("HTTP/1.1 429")).hasSize(2);
      assertThat(arrivalMicros).hasSize(3);
      assertThat(arrivalMicros.get(2) - arrivalMicros.get(0))
          .as("two delays of two seconds")
          .isGreaterThan(3_000_000);
      wires.forEach(RawHttpClient::close);
    }
  }

  @Test
  void callerLeavesWhileDelayed_isRefunded() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, "1/hour", 2)) {
      assertThat(RawHttpClient.exchange(server.port("gateway"), GET)).startsWith("HTTP/1.1 200");
      try (RawHttpClient waits = RawHttpClient.connect(server.port("gateway")).send(GET)) {
        Await.until(Duration.ofSeconds(60), "the request is delayed", () -> !hasCapacity(server));
        assertThat(RawHttpClient.exchange(server.port("gateway"), GET)).startsWith("HTTP/1.1 429");
        assertThat(waits.socket().isConnected()).isTrue();
      }
      Await.until(Duration.ofSeconds(60), "the request is refunded", () -> hasCapacity(server));
      assertThat(up.requestHeads()).hasSize(1);
    }
  }

  @Test
  void callerLeavesAfterRulesChanged_isRefundedWhatItWasCharged() {
    String old = "{id: q, per: [ip], limit: 1/hour, burst: 2, algorithm: leaky-bucket}";
    String added = "{id: added, per: [ip], limit: 10/hour, algorithm: fixed-window}";
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, "1/hour", 2)) {
      assertThat(RawHttpClient.exchange(server.port("gateway"), GET)).startsWith("HTTP/1.1 200");
      try (RawHttpClient waits = RawHttpClient.connect(server.port("gateway")).send(GET)) {
        Await.until(Duration.ofSeconds(60), "the request is delayed", () -> !hasCapacity(server));
        server.replaceRules("rules: [" + added + "]");
        Await.until(
            Duration.ofSeconds(60), "the new rules are in force", () -> hasCapacity(server));
        assertThat(server.post("/v1/check", PEEK).body()).contains("\"remaining\":9,");
        assertThat(waits.socket().isConnected()).isTrue();
      }
      server.replaceRules("rules: [" + old + ", " + added + "]");
      Await.until(
          Duration.ofSeconds(60),
          "the request is refunded",
          () -> server.post("/v1/peek", PEEK).body().contains("\"limit\":2,\"remaining\":1,"));
      assertThat(server.post("/v1/peek", PEEK).body())
          .as("the new rule, which the request was not charged for")
          .contains("\"limit\":10,\"remaining\":9,");
    }
  }

  @Test
  void delayedRequestsAboveTheLimit_areRejectedAndRefunded() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, "1/hour", 3, "gateway-max-waiting", "1")) {
      int port = server.port("gateway");
      assertThat(RawHttpClient.exchange(port, GET)).startsWith("HTTP/1.1 200");
      try (RawHttpClient waits = RawHttpClient.connect(port).send(GET)) {
        Await.until(
            Duration.ofSeconds(60),
            "one request is delayed",
            () -> server.post("/v1/peek", PEEK).body().contains("\"remaining\":1,"));
        for (int i = 0; i < 10; i++) {
          assertThat(RawHttpClient.exchange(port, GET))
              .startsWith("HTTP/1.1 503")
              .contains("Retry-After: 1");
        }
        assertThat(hasCapacity(server)).isTrue();
        assertThat(waits.socket().isConnected()).isTrue();
      }
    }
  }

  @Test
  void delayLongerThanTheIdleTimeout_isAnswered() {
    String rules = "rules: [{id: q, per: [path], limit: 1/8s, burst: 2, algorithm: leaky-bucket}]";
    Vertx vertx = Vertx.vertx();
    HttpClientOptions two =
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false);
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            GatewayTestServer.start(
                folder,
                rules,
                "upstream",
                up.url(),
                "idle-timeout",
                "1s",
                "gateway-upstream-timeout",
                "1s")) { // connections are idle after 6 s
      int port = server.port("gateway");
      assertThat(RawHttpClient.exchange(port, GET)).startsWith("HTTP/1.1 200");
      assertThat(RawHttpClient.exchange(port, GET.replace("/ ", "/2 "))).startsWith("HTTP/1.1 200");
      Future<Integer> http2 =
          vertx
              .createHttpClient(two)
              .request(HttpMethod.GET, port, "127.0.0.1", "/2")
              .compose(HttpClientRequest::send)
              .map(HttpClientResponse::statusCode);
      try (RawHttpClient waits = RawHttpClient.connect(port).send(GET)) {
        assertThat(waits.readResponse()).startsWith("HTTP/1.1 200");
        assertThat(waits.isClosed()).as("the idle timeout is active again").isTrue();
      }
      assertThat(http2.await(60, TimeUnit.SECONDS)).isEqualTo(200);
    } catch (TimeoutException e) {
      throw new AssertionError(e);
    } finally {
      vertx.close().await();
    }
  }

  @Test
  void bodyOfADelayedRequest_isNotRead() {
    AtomicLong sent = new AtomicLong();
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, "1/hour", 3)) {
      int port = server.port("gateway");
      assertThat(RawHttpClient.exchange(port, GET)).startsWith("HTTP/1.1 200");
      try (RawHttpClient waits = RawHttpClient.connect(port)) {
        waits.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n");
        Thread sender =
            new Thread(
                () -> {
                  byte[] block = new byte[10_000];
                  while (sent.get() < 100_000_000) {
                    waits.send(block);
                    sent.addAndGet(block.length);
                  }
                });
        sender.setUncaughtExceptionHandler(
            (t, e) -> {}); // fails when the socket is closed at the end
        sender.start();
        long[] last = {-1};
        Await.until(
            Duration.ofSeconds(60),
            "the caller is blocked",
            () -> {
              boolean same = last[0] == sent.get();
              last[0] = sent.get();
              Await.sleep(Duration.ofMillis(300));
              return same && sent.get() > 0;
            });
        assertThat(sent.get()).isLessThan(50_000_000);
      }
    }
  }
}
