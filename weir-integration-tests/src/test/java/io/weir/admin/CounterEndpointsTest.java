package io.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.redis.RedisStore;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shows, refunds and resets the counters of a caller over the admin API. */
@Timeout(60)
class CounterEndpointsTest {
  private static final String RULES =
      """
      rules:
        - {id: api, per: [user], limit: [5/hour, 50/day]}
        - {id: orders, per: [user], match: {endpoint: GET /orders/**}, limit: 3/hour, shadow: true}
        - {id: pair, per: [user, ip], limit: 2/hour, on-store-failure: closed}
        - {id: everyone, limit: 100/hour}
      """;
  private static final RuleSet RULE_SET = Rules.parse(RULES);
  private static final Request ORDER_REQUEST =
      Request.of("user", "a&b=<c>", "endpoint", "GET /orders/1", "ip", "10.0.0.1");
  private static final String CALLER_QUERY = "user=a%26b%3D%3Cc%3E";

  private AdminTestServer server;
  private Limiter limiter;

  @BeforeEach
  void open() {
    server = new AdminTestServer(RULE_SET);
    limiter = Weir.limiter(RULE_SET).store(server.store).clock(server.clock).build();
    limiter.decideNow(ORDER_REQUEST);
    limiter.decideNow(ORDER_REQUEST);
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void getWithRule_showsCountersOfTheRule() {
    HttpResponse<String> shown = server.get("/admin/counters?rule=api&" + CALLER_QUERY);
    assertThat(shown.statusCode()).as(shown.body()).isEqualTo(200);
    JsonObject answer = new JsonObject(shown.body());
    assertThat(answer.getJsonObject("caller").getString("user")).isEqualTo("a&b=<c>");
    assertThat(answer.getBoolean("degraded")).isFalse();
    assertThat(counters(answer)).containsExactly("api 5/hour 3 of 5", "api 50/day 48 of 50");
    assertThat(answer.getJsonArray("counters").getJsonObject(0).getLong("reset_ms"))
        .isEqualTo(2 * 3600_000 / 5);
    assertThat(counters(server.json("/admin/counters?rule=everyone")))
        .containsExactly("everyone 100/hour 98 of 100");
    assertThat(counters(server.json("/admin/counters?rule=orders&" + CALLER_QUERY)))
        .as("regardless of its other selectors")
        .containsExactly("orders 3/hour 1 of 3 shadow");
    assertThat(counters(server.json("/admin/counters?rule=api&user=other")).get(0))
        .contains("5 of 5");
  }

  @Test
  void getWithoutRule_showsAllCountersOfTheCaller() {
    assertThat(counters(server.json("/admin/counters?" + CALLER_QUERY)))
        .containsExactly(
            "api 5/hour 3 of 5",
            "api 50/day 48 of 50",
            "orders 3/hour 1 of 3 shadow",
            "everyone 100/hour 98 of 100");
    assertThat(counters(server.json("/admin/counters?ip=10.0.0.1&" + CALLER_QUERY)))
        .contains("pair 2/hour 0 of 2");
    assertThat(limiter.peek(ORDER_REQUEST).join().allowed()).as("pair is exhausted").isFalse();
  }

  @Test
  void delete_resetsOnlyTheCountersOfTheRule() {
    HttpResponse<String> reset =
        server.send("DELETE", "/admin/counters?rule=pair&ip=10.0.0.1&" + CALLER_QUERY, "");
    assertThat(reset.statusCode()).as(reset.body()).isEqualTo(200);
    assertThat(counters(new JsonObject(reset.body()))).containsExactly("pair 2/hour 2 of 2");
    assertThat(limiter.decideNow(ORDER_REQUEST).allowed()).isTrue();
    assertThat(counters(server.json("/admin/counters?rule=api&" + CALLER_QUERY)).get(0))
        .isEqualTo("api 5/hour 2 of 5");
  }

  @Test
  void refund_returnsNoMoreThanWasUsed() {
    String path = "/admin/counters?rule=api&" + CALLER_QUERY;
    assertThat(counters(new JsonObject(server.send("POST", path, "{\"refund\":1}").body())).get(0))
        .isEqualTo("api 5/hour 4 of 5");
    HttpResponse<String> largeRefund = server.send("POST", path, "{\"refund\":9007199254740993}");
    assertThat(counters(new JsonObject(largeRefund.body())).get(0)).isEqualTo("api 5/hour 5 of 5");
    for (String body :
        List.of(
            "{\"refund\":0}", "{\"refund\":-1}", "{\"refund\":\"x\"}", "{}", "{\"refunds\":1}")) {
      assertThat(server.send("POST", path, body).statusCode()).as(body).isEqualTo(400);
    }
  }

  @Test
  void incompleteRequest_messageNamesWhatIsMissing() {
    assertThat(message("GET", "/admin/counters?rule=pair&" + CALLER_QUERY, 400))
        .isEqualTo("rule 'pair' counts per [user, ip]; send &user=…&ip=…");
    assertThat(message("DELETE", "/admin/counters?" + CALLER_QUERY, 400))
        .startsWith("rule is missing");
    assertThat(message("GET", "/admin/counters?rule=none", 404)).contains("no rule 'none'");
    assertThat(message("DELETE", "/admin/counters?rule=none", 404)).contains("no rule 'none'");
    assertThat(message("GET", "/admin/counters?user=a&user=b", 400)).contains("is given twice");
  }

  private String message(String method, String path, int status) {
    HttpResponse<String> refused = server.send(method, path, "");
    assertThat(refused.statusCode()).isEqualTo(status);
    return new JsonObject(refused.body()).getString("message");
  }

  @Test
  void resetOnRedis_takesEffect() {
    try (RedisProcess redis = RedisProcess.start();
        AdminTestServer redisServer =
            new AdminTestServer(
                RULE_SET,
                (clock, activity) ->
                    RedisStore.at(redis.uri()).deadline(AdminTestServer.TIMEOUT).open(),
                "127.0.0.1")) {
      String path = "/admin/counters?rule=pair&ip=10.0.0.1&" + CALLER_QUERY;
      Limiter redisLimiter = Weir.limiter(RULE_SET).store(redisServer.store).build();
      assertThat(redisLimiter.decideNow(ORDER_REQUEST.cost(2)).allowed()).isTrue();
      assertThat(redisLimiter.decideNow(ORDER_REQUEST).allowed()).isFalse();
      assertThat(counters(redisServer.json(path))).containsExactly("pair 2/hour 0 of 2");
      redisServer.send("DELETE", path, "");
      Await.until(
          AdminTestServer.TIMEOUT,
          "the reset takes effect",
          () -> redisLimiter.decideNow(ORDER_REQUEST).allowed());
    }
  }

  @Test
  void storeUnavailable_respondsWith503() {
    RedisProcess stopped = RedisProcess.start();
    String uri = stopped.uri();
    stopped.close();
    try (AdminTestServer testServer =
        new AdminTestServer(
            RULE_SET, (clock, activity) -> RedisStore.at(uri).open(), "127.0.0.1")) {
      String path = "/admin/counters?rule=api&" + CALLER_QUERY;
      assertThat(testServer.send("DELETE", path, "").statusCode()).isEqualTo(503);
      assertThat(testServer.send("POST", path, "{\"refund\":1}").statusCode()).isEqualTo(503);
      assertThat(testServer.json(path).getBoolean("degraded")).isTrue();
    }
  }

  private static List<String> counters(JsonObject answer) {
    return answer.getJsonArray("counters").stream()
        .map(JsonObject.class::cast)
        .map(
            c ->
                c.getString("rule")
                    + " "
                    + c.getString("limit")
                    + " "
                    + c.getLong("remaining")
                    + " of "
                    + c.getLong("most")
                    + (c.getBoolean("shadow") ? " shadow" : ""))
        .toList();
  }
}
