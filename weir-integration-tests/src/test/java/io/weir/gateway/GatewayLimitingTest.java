package io.weir.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rate limiting in the gateway: refusals, rate limit headers, charges. */
class GatewayLimitingTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

  @TempDir Path folder;

  private RunningServer gateway(RecordingUpstream up, String rules) {
    return GatewayTestServer.start(folder, rules, "upstream", up.url());
  }

  private static String rulesPerIp(int permits) {
    return "rules: [{id: ip, per: [ip], limit: " + permits + "/hour}]";
  }

  @Test
  void refusedRequests_neverReachTheUpstreamAndKeepTheConnection() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, rulesPerIp(2));
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      assertThat(wire.send(GET).readResponse())
          .startsWith("HTTP/1.1 200")
          .contains("X-RateLimit-Remaining: 1");
      assertThat(wire.send(GET).readResponse())
          .startsWith("HTTP/1.1 200")
          .contains("X-RateLimit-Remaining: 0");
      for (int i = 0; i < 5; i++) {
        assertThat(wire.send(GET).readResponse())
            .startsWith("HTTP/1.1 429")
            .contains("X-RateLimit-Limit: 2")
            .contains("RateLimit: \"ip\";r=0;t=")
            .containsPattern("Retry-After: 1[0-9]{3}\r\n")
            .contains("\"error\":\"rate_limited\",\"rule\":\"ip\"");
      }
      assertThat(up.requestHeads()).hasSize(2);
    }
  }

  @Test
  void chargeWhen_countsFailedLoginsOnly() {
    String rules =
        "rules: [{id: login, per: [ip], limit: 2/hour, charge-when: {status: [401, 5xx]}}]";
    try (RecordingUpstream up =
            RecordingUpstream.withScript(GatewayLimitingTest::answerWithStatus);
        RunningServer server = gateway(up, rules);
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      for (int i = 0; i < 5; i++) {
        assertThat(wire.send(get(200)).readResponse()).contains("X-RateLimit-Remaining: 2");
        assertThat(wire.send(get(404)).readResponse()).startsWith("HTTP/1.1 404");
      }
      assertThat(wire.send(get(401)).readResponse()).startsWith("HTTP/1.1 401");
      assertThat(wire.send(get(503)).readResponse()).contains("X-RateLimit-Remaining: 1");
      assertThat(wire.send(get(200)).readResponse())
          .startsWith("HTTP/1.1 429")
          .contains("\"rule\":\"login\"");
      assertThat(up.requestHeads()).hasSize(12);
    }
  }

  @Test
  void refundWhen_refundsFailuresOfUpstreamAndGateway() {
    String rules = "rules: [{id: api, per: [ip], limit: 2/hour, refund-when: {status: 5xx}}]";
    try (RecordingUpstream up =
            RecordingUpstream.withScript(GatewayLimitingTest::answerWithStatus);
        RunningServer server = gateway(up, rules);
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      for (int i = 0; i < 5; i++) {
        assertThat(wire.send(get(500)).readResponse()).contains("X-RateLimit-Remaining: 1");
      }
      for (int i = 0; i < 5; i++) {
        assertThat(wire.send(get(0)).readResponse())
            .startsWith("HTTP/1.1 502")
            .contains("X-RateLimit-Remaining: 1");
      }
    }
  }

  /** All requests are in flight at the same time, and all of them fail. */
  @Test
  void concurrentFailures_exceedTheLimitByLessThanTheNumberInFlight() throws Exception {
    int inFlight = 8;
    String rules = "rules: [{id: login, per: [ip], limit: 12/hour, charge-when: {status: 401}}]";
    CyclicBarrier allArrived = new CyclicBarrier(inFlight);
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  await(allArrived);
                  return answerWithStatus(head, in, out);
                });
        RunningServer server = gateway(up, rules)) {
      for (int admitted : new int[] {inFlight, inFlight, 0}) {
        List<CompletableFuture<String>> round =
            IntStream.range(0, inFlight)
                .mapToObj(
                    i ->
                        CompletableFuture.supplyAsync(
                            () -> RawHttpClient.exchange(server.port("gateway"), get(401)),
                            task -> new Thread(task).start()))
                .toList();
        CompletableFuture.allOf(round.toArray(new CompletableFuture<?>[0]))
            .get(60, TimeUnit.SECONDS);
        assertThat(round.stream().filter(f -> f.join().startsWith("HTTP/1.1 401")))
            .hasSize(admitted);
      }
      assertThat(up.requestHeads()).hasSizeLessThan(12 + inFlight).hasSize(16);
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new AssertionError("not all requests have arrived", e);
    }
  }

  private static String get(int status) {
    return "GET /" + status + " HTTP/1.1\r\nHost: h\r\n\r\n";
  }

  /** Answers with the status in the path; closes the connection instead of status 0. */
  private static boolean answerWithStatus(String head, InputStream in, OutputStream out)
      throws IOException {
    String status = head.substring(head.indexOf('/') + 1).split(" ", 2)[0];
    if (status.equals("0")) {
      return false;
    }
    out.write(RecordingUpstream.response(status + " Planted", "x").getBytes(ISO_8859_1));
    return true;
  }

  @Test
  void callerAcceptsProblemJson_getsAProblem() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, rulesPerIp(1))) {
      int port = server.port("gateway");
      RawHttpClient.exchange(port, GET);
      String answer =
          RawHttpClient.exchange(
              port, "GET / HTTP/1.1\r\nHost: h\r\nAccept: application/problem+json\r\n\r\n");
      assertThat(answer).contains("application/problem+json").contains("quota-exceeded");
    }
  }

  @Test
  void limitedResponse_carriesOnlyTheGatewaysRateLimitHeaders() {
    String upstreamResponse =
        RecordingUpstream.response(
            "503 Busy", "no", "X-RateLimit-Limit: 999", "RateLimit: \"own\";r=1", "Retry-After: 7");
    try (RecordingUpstream up = RecordingUpstream.answering(upstreamResponse);
        RunningServer server =
            gateway(up, "rules: [{id: v1, match: {path: /v1/**}, per: [ip], limit: 5/hour}]")) {
      String limited =
          RawHttpClient.exchange(server.port("gateway"), "GET /v1/x HTTP/1.1\r\nHost: h\r\n\r\n");
      assertThat(limited).contains("X-RateLimit-Limit: 5").contains("RateLimit: \"v1\";r=4");
      assertThat(limited).doesNotContain("999").doesNotContain("own");
      assertThat(limited).as("the upstream's own Retry-After").contains("Retry-After: 7");
      assertThat(RawHttpClient.exchange(server.port("gateway"), GET))
          .as("no rule matches")
          .contains("999");
    }
  }

  @Test
  void failedUpstream_stillReturnsRateLimitHeaders() {
    try (RecordingUpstream up = RecordingUpstream.withScript((head, in, out) -> false);
        RunningServer server = gateway(up, rulesPerIp(5))) {
      assertThat(RawHttpClient.exchange(server.port("gateway"), GET))
          .startsWith("HTTP/1.1 502")
          .contains("X-RateLimit-Remaining: 4");
    }
  }

  @Test
  void bodyOfARefusedRequest_isDrainedAndTheConnectionKept() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, rulesPerIp(1));
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send(GET).readResponse();
      String post = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10000\r\n\r\n";
      assertThat(wire.send(post).readResponse()).startsWith("HTTP/1.1 429");
      wire.send("x".repeat(10_000));
      assertThat(wire.send(GET).readResponse()).startsWith("HTTP/1.1 429");
      assertThat(up.requestHeads()).hasSize(1);
    }
  }

  @Test
  void refusedRequestExpectingContinue_isNotContinued() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, rulesPerIp(1));
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send(GET).readResponse();
      wire.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
      assertThat(wire.readResponse())
          .startsWith("HTTP/1.1 429")
          .containsIgnoringCase("Connection: close");
      assertThat(wire.isClosed()).isTrue();
    }
  }

  @Test
  void longBodyOfARefusedRequest_closesTheConnection() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, rulesPerIp(1))) {
      int port = server.port("gateway");
      RawHttpClient.exchange(port, GET);
      try (RawHttpClient wire = RawHttpClient.connect(port)) {
        wire.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n");
        assertThat(wire.readResponse()).startsWith("HTTP/1.1 429");
        assertThat(wire.isClosed()).isTrue();
      }
    }
  }

  @Test
  void hundredHttp2Streams_areChargedOneByOne() throws Exception {
    Vertx vertx = Vertx.vertx();
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, rulesPerIp(60))) {
      HttpClientAgent client =
          vertx.createHttpClient(
              new HttpClientOptions()
                  .setProtocolVersion(HttpVersion.HTTP_2)
                  .setHttp2ClearTextUpgrade(false));
      List<Future<Integer>> statuses =
          IntStream.range(0, 100)
              .mapToObj(
                  i ->
                      client
                          .request(HttpMethod.GET, server.port("gateway"), "127.0.0.1", "/" + i)
                          .compose(r -> r.send())
                          .compose(head -> head.body().map(b -> head))
                          .map(HttpClientResponse::statusCode))
              .toList();
      int admitted = 0;
      for (Future<Integer> future : statuses) {
        int status = future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(status).isIn(200, 429);
        admitted += status == 200 ? 1 : 0;
      }
      assertThat(admitted).isEqualTo(60);
      assertThat(up.requestHeads()).hasSize(60);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void requestThatFailsUpstream_isChargedOnce() {
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  out.write(RecordingUpstream.OK_RESPONSE.getBytes(ISO_8859_1));
                  return false;
                });
        RunningServer server = gateway(up, rulesPerIp(10))) {
      int port = server.port("gateway");
      for (int i = 9; i >= 0; i--) {
        assertThat(RawHttpClient.exchange(port, GET))
            .contains("X-RateLimit-Remaining: " + i + "\r\n");
      }
      assertThat(RawHttpClient.exchange(port, GET)).startsWith("HTTP/1.1 429");
      assertThat(up.requestHeads()).hasSize(10);
    }
  }

  @Test
  void storeIsFrozen_fallbackAnswersInTime() {
    String rules =
        "rules: [{id: open, match: {path: /open}, per: [ip], limit: 9/hour},"
            + " {id: login, match: {path: /login}, per: [ip], limit: 9/hour,"
            + " on-store-failure: closed}]";
    try (RedisProcess redis = RedisProcess.start();
        RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            GatewayTestServer.start(folder, rules, "upstream", up.url(), "store", redis.uri())) {
      int port = server.port("gateway");
      String open = "GET /open HTTP/1.1\r\nHost: h\r\n\r\n";
      String login = "GET /login HTTP/1.1\r\nHost: h\r\n\r\n";
      Await.until(
          Duration.ofSeconds(60),
          "the store is connected",
          () -> RawHttpClient.exchange(port, open).contains("X-RateLimit-Remaining"));
      redis.freeze();
      try {
        for (int i = 0; i < 20; i++) {
          assertThat(RawHttpClient.exchange(port, open)).startsWith("HTTP/1.1 200");
          assertThat(RawHttpClient.exchange(port, login))
              .startsWith("HTTP/1.1 503")
              .contains("Retry-After: 1\r\n", "\"error\":\"store_unavailable\"")
              .doesNotContain("X-RateLimit-Remaining");
        }
      } finally {
        redis.thaw();
      }
      Await.until(
          Duration.ofSeconds(60),
          "the store is connected again",
          () -> RawHttpClient.exchange(port, login).contains("X-RateLimit-Remaining"));
    }
  }
}
