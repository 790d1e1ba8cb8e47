package io.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Decision counts by rule, and the most refused callers. */
@Timeout(60)
class StatsEndpointsTest {
  private static final RuleSet RULES =
      Rules.parse(
          """
          rules:
            - {id: api, per: [user], missing: skip, limit: [2/hour, 50/day]}
            - {id: shadow, per: [header.x-api-key], limit: 1/hour, shadow: true}
          """);

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

  private void decide(int times, String... attributes) {
    for (int i = 0; i < times; i++) {
      limiter.decideNow(Request.of(attributes));
    }
  }

  @Test
  void decisions_areCountedByRuleAndOutcome() {
    decide(5, "user", "a");
    decide(1, "user", "b", "header.x-api-key", "k");
    decide(1, "header.x-api-key", "k");
    decide(4, "ip", "10.0.0.1");
    limiter.peek(Request.of("user", "a")).join();
    server.clock.advance(Duration.ofSeconds(7));
    JsonObject stats = server.json("/admin/stats");
    assertThat(stats.getString("node")).isEqualTo("node-1");
    assertThat(stats.getString("started")).isEqualTo("2026-01-01T00:00:00Z");
    assertThat(stats.getLong("uptime_ms")).isEqualTo(7000);
    assertThat(stats.getLong("revision")).isEqualTo(1);
    assertThat(stats.getLong("stale_ms")).isZero();
    assertThat(stats.getJsonObject("store").getBoolean("available")).isTrue();
    assertThat(stats.getJsonObject("requests"))
        .isEqualTo(new JsonObject().put("allowed", 8).put("refused", 3));
    assertThat(stats.getJsonArray("rules"))
        .containsExactly(ruleStats("api", 3, 3, 0), ruleStats("shadow", 1, 0, 1));
    assertThat(server.json("/admin/stats?rule=shadow").getJsonArray("rules"))
        .containsExactly(ruleStats("shadow", 1, 0, 1));
    assertThat(server.get("/admin/stats?top=many").statusCode()).isEqualTo(400);
  }

  private static JsonObject ruleStats(String id, int allowed, int refused, int shadowRefused) {
    return new JsonObject()
        .put("id", id)
        .put("allowed", allowed)
        .put("refused", refused)
        .put("shadow_refused", shadowRefused)
        .put("degraded", 0);
  }

  @Test
  void topRefused_showsCallersOfTheLastMinutes() {
    decide(5, "user", "<script>", "ip", "10.0.0.1");
    decide(9, "user", "a".repeat(5000));
    decide(3, "user", "once");
    decide(2, "user", "never");
    JsonArray top = server.json("/admin/stats").getJsonArray("top_refused");
    assertThat(top)
        .extracting(t -> ((JsonObject) t).getLong("refused"))
        .containsExactly(7L, 3L, 1L);
    assertThat(top.getJsonObject(0).getJsonObject("caller").getString("user"))
        .hasSize(201)
        .endsWith("…");
    assertThat(top.getJsonObject(1))
        .isEqualTo(
            new JsonObject()
                .put("rule", "api")
                .put("shadow", false)
                .put("caller", new JsonObject().put("user", "<script>"))
                .put("refused", 3)
                .put("surely", 3));
    assertThat(server.json("/admin/stats?top=1").getJsonArray("top_refused")).hasSize(1);
    server.clock.advance(Duration.ofMinutes(5));
    decide(1, "user", "once");
    assertThat(callers()).containsExactly("a".repeat(200) + "… 7", "<script> 3", "once 2");
    server.clock.advance(Duration.ofMinutes(5));
    assertThat(callers()).as("only the last ten minutes").containsExactly("once 1");
    server.clock.advance(Duration.ofMinutes(5));
    assertThat(callers()).isEmpty();
  }

  private List<String> callers() {
    return server.json("/admin/stats").getJsonArray("top_refused").stream()
        .map(JsonObject.class::cast)
        .map(t -> t.getJsonObject("caller").getString("user") + " " + t.getLong("refused"))
        .toList();
  }

  @Test
  void secretHeader_isShownAsDigest() {
    decide(3, "header.x-api-key", "Marker-1");
    String stats = server.get("/admin/stats").body();
    assertThat(stats).doesNotContain("Marker-1");
    assertThat(new JsonObject(stats).getJsonArray("top_refused").getJsonObject(0).getString("rule"))
        .isEqualTo("shadow");
    assertThat(
            new JsonObject(stats).getJsonArray("top_refused").getJsonObject(0).getBoolean("shadow"))
        .isTrue();
    assertThat(stats).containsPattern("\"header.x-api-key\":\"#[0-9a-f]{12}\"");
  }

  @Test
  void deletedRule_isRemovedFromStats() {
    decide(5, "user", "a");
    decide(2, "header.x-api-key", "k");
    server.activity.rulesListener().changed(RULES.onlyRule("shadow"));
    JsonObject stats = server.json("/admin/stats");
    assertThat(stats.getJsonArray("rules")).containsExactly(ruleStats("shadow", 1, 0, 1));
    assertThat(stats.getJsonArray("top_refused")).hasSize(1);
  }
}
