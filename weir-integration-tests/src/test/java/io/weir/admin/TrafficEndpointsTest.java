package io.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.server.RunningServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Traffic over time, by attribute value, and replayed under other rules. */
@Timeout(60)
class TrafficEndpointsTest {
  private static final RuleSet RULES =
      Rules.parse(
          """
          rules:
            - {id: api, per: [user], limit: 2/hour}
            - {id: looks-on, per: [user], limit: 1/hour, shadow: true}
          """);

  @TempDir Path folder;
  private AdminTestServer server;
  private Limiter limiter;

  @BeforeEach
  void open() {
    server = new AdminTestServer(RULES);
    limiter =
        Weir.limiter(RULES)
            .store(server.store)
            .clock(server.clock)
            .listener(server.activity.decisionListener())
            .build();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private long second() {
    return server.clock.micros() / 1_000_000;
  }

  private void decide(int times, String... attributes) {
    for (int i = 0; i < times; i++) {
      limiter.decideNow(Request.of(attributes));
    }
  }

  @Test
  void trafficBySecond_isShownByRule() {
    decide(5, "user", "ann");
    server.api.trafficStats.sample(second());
    JsonObject shown = server.json("/admin/traffic");
    assertThat(shown.getJsonArray("points"))
        .isEqualTo(new JsonArray().add(point(second(), 2, 3, 4)));
    assertThat(shown.getJsonObject("rules").getJsonArray("api"))
        .isEqualTo(new JsonArray().add(point(second(), 2, 3, 0)));
    assertThat(server.json("/admin/traffic?rule=api").getJsonObject("rules").fieldNames())
        .containsExactly("api");
  }

  private static JsonArray point(long time, int... values) {
    JsonArray point = new JsonArray().add((int) time);
    for (int value : values) {
      point.add(value);
    }
    return point;
  }

  @Test
  void trafficByMinuteAndHour_isShownWhenTheMinuteEnded() {
    decide(3, "user", "ann");
    server.api.trafficStats.sample(second());
    long began = second();
    server.clock.advance(Duration.ofMinutes(1));
    server.api.trafficStats.flushMinutes(second());
    JsonObject minutes = server.json("/admin/traffic?step=minute&rule=api");
    assertThat(minutes.getBoolean("survives")).as("rules of a file").isFalse();
    assertThat(minutes.getInteger("seconds")).isEqualTo(60);
    assertThat(minutes.getJsonArray("points"))
        .isEqualTo(new JsonArray().add(point(began, 2, 1, 0)));
    assertThat(server.json("/admin/traffic?step=hour").getJsonArray("points")).hasSize(1);
    assertThat(server.get("/admin/traffic?step=day").statusCode()).isEqualTo(400);
  }

  @Test
  void historyInDatabase_survivesRestart() {
    String h2 = "jdbc:h2:file:" + folder.resolve("rules");
    String[] flags = {"rules", h2, "admin-port", "0", "admin-token", AdminTestServer.TOKEN};
    try (RunningServer server = RunningServer.start(folder, "", flags)) {
      assertThat(server.checkStatus("ann")).isEqualTo(200);
      assertThat(server.checkStatus("bob")).isEqualTo(200);
    }
    try (RunningServer server = RunningServer.start(folder, "", flags)) {
      JsonObject history = AdminTestServer.json(server, "/admin/traffic?step=minute");
      assertThat(history.getBoolean("survives")).isTrue();
      long allowed =
          history.getJsonArray("points").stream().mapToLong(p -> ((JsonArray) p).getLong(1)).sum();
      assertThat(allowed).isEqualTo(2);
      JsonObject nodes = AdminTestServer.json(server, "/admin/nodes");
      assertThat(nodes.getBoolean("shared")).isTrue();
      assertThat(
              nodes.getJsonArray("nodes").getJsonObject(0).getJsonObject("says").getString("node"))
          .isEqualTo("test");
    }
  }

  @Test
  void busy_ranksAttributeValues() {
    decide(5, "user", "<script>", "endpoint", "GET /orders/1");
    JsonArray lines = server.json("/admin/busy").getJsonArray("lines");
    assertThat(lines.getJsonObject(0))
        .isEqualTo(
            new JsonObject()
                .put("attribute", "endpoint")
                .put("value", "GET /orders/*")
                .put("requests", 5)
                .put("refused", 3));
    assertThat(lines.getJsonObject(1).getString("value")).isEqualTo("<script>");
  }

  @Test
  void whatIf_reportsRefusalsOfARuleBeforeItIsCreated() {
    for (int i = 0; i < 10; i++) {
      decide(1, "user", "ann", "endpoint", "GET /orders/" + i);
      server.clock.advance(Duration.ofMinutes(1));
    }
    String stricter = "{\"id\":\"api\",\"per\":[\"user\"],\"limit\":\"1/hour\"}";
    JsonObject result = whatIf(stricter);
    assertThat(result.getLong("requests")).isEqualTo(10);
    assertThat(result.getLong("met")).isEqualTo(10);
    assertThat(result.getLong("refused")).isEqualTo(9);
    assertThat(result.getLong("refused_as_is")).isEqualTo(8);
    assertThat(result.getJsonArray("callers").getJsonObject(0).getJsonObject("caller"))
        .isEqualTo(new JsonObject().put("user", "ann"));
    assertThat(result.getJsonArray("bars").stream().mapToInt(b -> (Integer) b).sum()).isEqualTo(9);
    JsonObject fresh =
        whatIf("{\"id\":\"new\",\"match\":{\"endpoint\":\"GET /other\"},\"limit\":\"1/day\"}");
    assertThat(fresh.getLong("met")).isZero();
    HttpResponse<String> bad = server.send("POST", "/admin/rules/what-if", "{\"id\":\"api\"}");
    assertThat(bad.statusCode()).isEqualTo(400);
    assertThat(bad.body()).contains("\"field\":\"limit\"");
  }

  private JsonObject whatIf(String rule) {
    HttpResponse<String> answer = server.send("POST", "/admin/rules/what-if", rule);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  @Test
  void ruleList_isFilteredAndPaged() {
    JsonObject page = server.json("/admin/rules?find=SHADOW&count=1");
    assertThat(page.getLong("total")).isEqualTo(2);
    assertThat(page.getLong("found")).isEqualTo(1);
    assertThat(page.getJsonArray("rules").getJsonObject(0).getString("id")).isEqualTo("looks-on");
    assertThat(page.getJsonObject("revisions").fieldNames()).containsExactly("looks-on");
    assertThat(server.json("/admin/rules?from=1").getJsonArray("rules")).hasSize(1);
    assertThat(server.json("/admin/rules?count=0").getJsonArray("rules")).isEmpty();
    assertThat(server.get("/admin/rules?count=x").statusCode()).isEqualTo(400);
  }
}
