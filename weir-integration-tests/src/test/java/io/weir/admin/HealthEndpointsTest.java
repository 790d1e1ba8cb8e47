package io.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.redis.RedisStore;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.rules.Rules;
import io.weir.testkit.redis.RedisProcess;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The public endpoints of the admin API. */
@Timeout(60)
class HealthEndpointsTest {
  private static final String RULES = "rules: [{id: api, per: [user], limit: 5/hour}]";

  @Test
  void healthReadyAndMetrics_needNoToken() {
    try (AdminTestServer server = new AdminTestServer(Rules.parse(RULES))) {
      JsonObject health = getWithoutToken(server, "/health", 200);
      assertThat(health.getString("status")).isEqualTo("ok");
      assertThat(health.getBoolean("ready")).isTrue();
      assertThat(health.getJsonArray("degradations")).isEmpty();
      assertThat(health.getString("node")).isEqualTo("node-1");
      assertThat(health.getJsonObject("rules").getLong("revision")).isEqualTo(1);
      assertThat(getWithoutToken(server, "/ready", 200)).isEqualTo(ready());
      HttpResponse<String> metrics = server.exchange(server.request("GET", "/metrics", ""));
      assertThat(metrics.body()).isEqualTo("weir_rules_revision 1.0\n");
      assertThat(metrics.headers().firstValue("content-type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
      assertThat(metrics.headers().firstValue("x-content-type-options")).contains("nosniff");
      assertThat(server.exchange(server.request("POST", "/health", "")).statusCode())
          .isEqualTo(405);
    }
  }

  @Test
  void stoppingNode_isHealthyButNotReady() {
    try (AdminTestServer server = new AdminTestServer(Rules.parse(RULES))) {
      server.api.markStopping();
      JsonObject ready = getWithoutToken(server, "/ready", 503);
      assertThat(ready.getBoolean("ready")).isFalse();
      assertThat(ready.getJsonArray("reasons")).containsExactly("the node is stopping");
      JsonObject health = getWithoutToken(server, "/health", 200);
      assertThat(health.getBoolean("ready")).isFalse();
      assertThat(health.getString("status")).isEqualTo("ok");
      assertThat(ready.getBoolean("degraded")).isFalse();
    }
  }

  @Test
  void nodeWithoutStore_isReadyAndDegraded() {
    RedisProcess redis = RedisProcess.start();
    String uri = redis.uri();
    redis.close();
    try (AdminTestServer server =
        new AdminTestServer(
            Rules.parse(RULES), (clock, activity) -> RedisStore.at(uri).open(), "127.0.0.1")) {
      JsonObject ready = getWithoutToken(server, "/ready", 200);
      assertThat(ready.getBoolean("degraded")).isTrue();
      assertThat(ready.getJsonArray("degradations"))
          .containsExactly("the store is unavailable: rules use their fallback");
      JsonObject health = getWithoutToken(server, "/health", 200);
      assertThat(health.getString("status")).isEqualTo("degraded");
      assertThat(health.getJsonObject("store").getBoolean("available")).isFalse();
      assertThat(health.getJsonArray("degradations")).isEqualTo(ready.getJsonArray("degradations"));
    }
  }

  @Test
  void rulesNotWritable_healthIsDegradedWithReason() {
    RuleSet rules = Rules.parse(RULES);
    RuleSource readOnly =
        new RuleSource() {
          @Override
          public RuleSet current() {
            return rules;
          }

          @Override
          public String writeFailure() {
            return "no space left";
          }
        };
    try (AdminTestServer server = new AdminTestServer(readOnly)) {
      JsonObject health = getWithoutToken(server, "/health", 200);
      assertThat(health.getString("status")).isEqualTo("degraded");
      assertThat(health.getJsonObject("rules").getBoolean("writable")).isFalse();
      assertThat(health.getJsonObject("rules").getString("write_failure"))
          .isEqualTo("no space left");
      JsonObject ready = getWithoutToken(server, "/ready", 200);
      assertThat(ready.getBoolean("degraded")).isTrue();
      assertThat(ready.getJsonArray("degradations"))
          .isEqualTo(health.getJsonArray("degradations"))
          .containsExactly("rule changes cannot be written: no space left");
    }
  }

  private static JsonObject ready() {
    return new JsonObject("{\"ready\":true,\"reasons\":[],\"degraded\":false,\"degradations\":[]}");
  }

  private static JsonObject getWithoutToken(AdminTestServer server, String path, int status) {
    HttpResponse<String> response = server.exchange(server.request("GET", path, ""));
    assertThat(response.statusCode()).isEqualTo(status);
    return new JsonObject(response.body());
  }
}
