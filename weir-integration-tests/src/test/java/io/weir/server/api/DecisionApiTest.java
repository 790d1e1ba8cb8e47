package io.weir.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The decision API as specified in contract.md, over a real socket. */
class DecisionApiTest {
  private static final String RULES =
      """
      rules:
        - {id: api, match: {user: "*"}, per: [user], limit: 10/hour}
        - {id: watched, match: {user: "*"}, per: [user], limit: 2/hour, shadow: true}
        - {id: queue, match: {queue: "*"}, per: [queue], limit: 1/second, algorithm: leaky-bucket, burst: 3}
        - {id: two, match: {many: "*"}, per: [many], limit: [5/minute, 100/hour]}
      """;

  @TempDir static Path folder;
  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = RunningServer.start(folder, RULES);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonObject json(HttpResponse<String> response) {
    assertThat(response.headers().firstValue("content-type")).contains("application/json");
    return new JsonObject(response.body());
  }

  private static String header(HttpResponse<String> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Test
  void check_returnsAllDocumentedFields() {
    HttpResponse<String> response = server.post("/v1/check", RunningServer.checkBody("all", 3));
    assertThat(response.statusCode()).isEqualTo(200);
    JsonObject body = json(response);
    assertThat(body.fieldNames())
        .containsExactly("allowed", "degraded", "delay_ms", "retry_after_ms", "revision", "rules");
    assertThat(body.getBoolean("allowed")).isTrue();
    assertThat(body.getLong("revision")).isEqualTo(1);
    JsonObject rule = body.getJsonArray("rules").getJsonObject(0);
    assertThat(rule.getString("id")).isEqualTo("api");
    assertThat(rule.getLong("limit")).isEqualTo(10);
    assertThat(rule.getLong("remaining")).isEqualTo(7);
    assertThat(rule.getLong("reset_ms")).isBetween(1_079_000L, 1_080_000L);
    assertThat(body.getJsonArray("rules").getJsonObject(1).getBoolean("shadow")).isTrue();
    assertThat(body.getJsonArray("rules").getJsonObject(1).getBoolean("allowed")).isFalse();
    assertThat(header(response, "X-RateLimit-Limit")).isEqualTo("10");
    assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("7");
    assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"api\";q=10;w=3600");
    assertThat(header(response, "RateLimit")).startsWith("\"api\";r=7;t=");
    assertThat(header(response, "Retry-After")).isEmpty();
  }

  @Test
  void refusedCheck_is429WithRuleAndRetryAfter() {
    server.post("/v1/check", RunningServer.checkBody("full", 10));
    HttpResponse<String> response = server.post("/v1/check", RunningServer.checkBody("full", 1));
    assertThat(response.statusCode()).isEqualTo(429);
    JsonObject body = json(response);
    assertThat(body.getString("error")).isEqualTo("rate_limited");
    assertThat(body.getString("rule")).isEqualTo("api");
    assertThat(body.getInteger("retry_after_seconds")).isBetween(350, 360);
    assertThat(Integer.parseInt(header(response, "Retry-After"))).isBetween(350, 360);
    assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("0");
  }

  @Test
  void costAboveTheCapacity_isReportedAsCostExceedsLimit() {
    HttpResponse<String> response = server.post("/v1/check", RunningServer.checkBody("never", 11));
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(json(response).getString("error")).isEqualTo("cost_exceeds_limit");
    assertThat(header(response, "Retry-After")).isEmpty();
    assertThat(server.post("/v1/check", RunningServer.checkBody("never", 10)).statusCode())
        .isEqualTo(200);
  }

  @Test
  void peek_is200AndChargesNothing() {
    server.post("/v1/check", RunningServer.checkBody("peek", 10));
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> response = server.post("/v1/peek", RunningServer.checkBody("peek", 1));
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(json(response).getBoolean("allowed")).isFalse();
    }
    server.post("/v1/peek", RunningServer.checkBody("peek-2", 10));
    assertThat(server.post("/v1/check", RunningServer.checkBody("peek-2", 10)).statusCode())
        .isEqualTo(200);
  }

  @Test
  void noRuleMatches_isAllowedWithoutHeaders() {
    HttpResponse<String> response = server.post("/v1/check", "{\"attributes\":{\"else\":\"1\"}}");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(json(response).getJsonArray("rules")).isEmpty();
    assertThat(header(response, "X-RateLimit-Limit")).isEmpty();
  }

  @Test
  void delayedRequest_returnsItsDelay() {
    String body = "{\"attributes\":{\"queue\":\"q\"}}";
    assertThat(json(server.post("/v1/check", body)).getLong("delay_ms")).isZero();
    assertThat(json(server.post("/v1/check", body)).getLong("delay_ms")).isBetween(900L, 1000L);
  }

  @Test
  void ruleWithTwoLimits_isOneEntryAndTwoPolicies() {
    HttpResponse<String> response = server.post("/v1/check", "{\"attributes\":{\"many\":\"1\"}}");
    assertThat(json(response).getJsonArray("rules")).hasSize(1);
    assertThat(header(response, "RateLimit-Policy")).contains("w=60").contains("w=3600");
  }

  @Test
  void checkBatch_decidesEachCheckSeparately() {
    String checks =
        "["
            + RunningServer.checkBody("b1", 10)
            + ","
            + RunningServer.checkBody("b1", 1)
            + ","
            + RunningServer.checkBody("b2", 1)
            + "]";
    HttpResponse<String> response = server.post("/v1/check-batch", "{\"checks\":" + checks + "}");
    assertThat(response.statusCode()).isEqualTo(200);
    JsonArray results = json(response).getJsonArray("results");
    assertThat(results.stream().map(r -> ((JsonObject) r).getBoolean("allowed")))
        .containsExactly(true, false, true);
    assertThat(results.getJsonObject(1).getString("error")).isEqualTo("rate_limited");
    assertThat(server.post("/v1/check-batch", "{\"checks\":[]}").body())
        .isEqualTo("{\"results\":[]}");
  }

  @Test
  void reservation_isSettledOnceAtItsActualCost() {
    JsonObject reserved = json(server.post("/v1/reserve", RunningServer.checkBody("r", 8)));
    String path = "/v1/reservations/" + reserved.getString("reservation");
    assertThat(reserved.getBoolean("allowed")).isTrue();
    assertThat(server.post("/v1/check", RunningServer.checkBody("r", 3)).statusCode())
        .isEqualTo(429);
    HttpResponse<String> settled = server.post(path + "/commit", "{\"cost\":2}");
    assertThat(settled.statusCode()).isEqualTo(200);
    assertThat(server.post(path + "/commit", "{\"cost\":2}").statusCode()).isEqualTo(404);
    assertThat(server.send("DELETE", path, "").statusCode()).isEqualTo(404);
    assertThat(server.post("/v1/check", RunningServer.checkBody("r", 8)).statusCode())
        .isEqualTo(200);
    assertThat(server.post("/v1/check", RunningServer.checkBody("r", 1)).statusCode())
        .isEqualTo(429);
  }

  @Test
  void cancelledReservation_isFullyRefunded() {
    JsonObject reserved = json(server.post("/v1/reserve", RunningServer.checkBody("c", 10)));
    String path = "/v1/reservations/" + reserved.getString("reservation");
    assertThat(server.send("DELETE", path, "").statusCode()).isEqualTo(200);
    assertThat(server.post("/v1/check", RunningServer.checkBody("c", 10)).statusCode())
        .isEqualTo(200);
  }

  @Test
  void refusedReservation_chargesNothing() {
    server.post("/v1/check", RunningServer.checkBody("rr", 10));
    HttpResponse<String> response = server.post("/v1/reserve", RunningServer.checkBody("rr", 1));
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(json(response).containsKey("reservation")).isFalse();
  }

  @Test
  void unsettledReservation_expires() {
    String body = "{\"attributes\":{\"user\":\"e\"},\"cost\":10,\"ttl_ms\":1}";
    String id = json(server.post("/v1/reserve", body)).getString("reservation");
    Await.until(
        Duration.ofSeconds(5), "the reservation is refunded", () -> server.checkStatus("e") == 200);
    assertThat(server.post("/v1/reservations/" + id + "/commit", "{\"cost\":1}").statusCode())
        .isEqualTo(404);
  }

  @Test
  void reservationOfAnotherNode_isReportedAsSuch() {
    HttpResponse<String> response = server.send("DELETE", "/v1/reservations/other.abc", "");
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.body()).contains("this node did not create it");
  }
}
