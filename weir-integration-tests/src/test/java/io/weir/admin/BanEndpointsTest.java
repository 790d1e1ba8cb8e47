package io.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.Durations;
import io.weir.redis.RedisStore;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.database.RuleChange;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A temporary ban refuses exactly one caller for exactly its duration. */
@Timeout(60)
class BanEndpointsTest {
  private static final String PATH = "/admin/refusals";

  @TempDir Path folder;
  private DatabaseRules rules;
  private AdminTestServer server;
  private Limiter limiter;

  @BeforeEach
  void open() {
    rules = DatabaseRules.open("jdbc:h2:file:" + folder.resolve("rules"));
    server = new AdminTestServer(rules);
    limiter = Weir.limiter(rules).store(server.store).clock(server.clock).build();
  }

  @AfterEach
  void close() {
    server.close();
    rules.close();
  }

  private boolean isAllowed(String user) {
    return limiter.decideNow(Request.of("user", user, "endpoint", "GET /x")).allowed();
  }

  private HttpResponse<String> ban(String user, String time) {
    return server.send(
        "POST", PATH + query(user), "{\"for\":\"" + time + "\"}", "X-Weir-User", "ann");
  }

  private static String query(String user) {
    return "?user=" + URLEncoder.encode(user, StandardCharsets.UTF_8);
  }

  @Test
  void ban_endsByItselfToTheMicrosecond() {
    for (String time : List.of("1s", "10m", "30d")) {
      Duration duration = Durations.parse(time);
      assertThat(isAllowed("mallory")).isTrue();
      HttpResponse<String> answer = ban("mallory", time);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(new JsonObject(answer.body()).getLong("left_ms")).isEqualTo(duration.toMillis());
      assertThat(isAllowed("mallory")).isFalse();
      assertThat(isAllowed("bob")).isTrue();
      server.clock.advance(duration.minusNanos(1000));
      assertThat(isAllowed("mallory")).as("1 µs before " + time).isFalse();
      server.clock.advance(Duration.ofNanos(1000));
      assertThat(isAllowed("mallory")).as("after " + time).isTrue();
      server.clock.advance(Duration.ofDays(1));
    }
    assertThat(listedBans()).isEmpty();
  }

  @Test
  void ban_isListedLiftedAndInHistory() {
    ban("mallory", "1h");
    JsonObject listed = listedBans().getJsonObject(0);
    assertThat(listed.getJsonObject("caller")).isEqualTo(new JsonObject().put("user", "mallory"));
    assertThat(listed.getLong("left_ms")).isEqualTo(3_600_000);
    assertThat(rules.history(listed.getString("rule")))
        .extracting(RuleChange::who)
        .containsExactly("ann");
    assertThat(server.send("DELETE", PATH + query("mallory"), "").statusCode()).isEqualTo(200);
    assertThat(isAllowed("mallory")).isTrue();
    assertThat(listedBans()).isEmpty();
    assertThat(server.send("DELETE", PATH + query("mallory"), "").statusCode()).isEqualTo(404);
  }

  @Test
  void secondBan_replacesTheDuration() {
    ban("mallory", "1h");
    ban("mallory", "1m");
    assertThat(listedBans().getJsonObject(0).getLong("left_ms")).isEqualTo(60_000);
    assertThat(listedBans()).hasSize(1);
    assertThat(rules.current().rules()).as("one rule per caller").hasSize(1);
    assertThat(server.send("DELETE", PATH + query("mallory"), "").statusCode()).isEqualTo(200);
    assertThat(rules.current().rules()).isEmpty();
  }

  @Test
  void endedBan_ruleIsDeletedInBackground() throws Exception {
    ban("mallory", "1m");
    ban("other", "1h");
    AutoCloseable watch = server.api.startBackgroundTasks();
    try {
      server.clock.advance(Duration.ofSeconds(70));
      Await.until(
          Duration.ofSeconds(30),
          "the ended ban is deleted",
          () -> rules.current().rules().size() == 1);
      assertThat(isAllowed("other")).isFalse();
      server.clock.advance(Duration.ofHours(1));
      Await.until(
          Duration.ofSeconds(30), "both bans are deleted", () -> rules.current().rules().isEmpty());
    } finally {
      watch.close();
    }
  }

  @Test
  void endedBanWithStoreAndDatabaseUnavailable_callerIsAllowed() {
    ban("mallory", "1m");
    RuleSet lastRules = rules.current();
    Request mallory = Request.of("user", "mallory");
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = RedisStore.at(redis.uri()).open()) {
      redis.kill();
      Limiter isolatedLimiter =
          Weir.limiter(new ActiveRules(() -> lastRules, server.clock)).store(store).build();
      assertThat(isolatedLimiter.decideNow(mallory).allowed()).as("fail closed").isFalse();
      assertThat(isolatedLimiter.decideNow(Request.of("user", "bob")).allowed()).isTrue();
      server.clock.advance(Duration.ofSeconds(70));
      assertThat(isolatedLimiter.decideNow(mallory).allowed()).isTrue();
      assertThat(lastRules.rules()).as("its rule is still stored").hasSize(1);
    }
  }

  @Test
  void callerNamedLikeAPattern_isRejected() {
    for (String name : List.of("*", "a*", "**", "a*b", "!a")) {
      HttpResponse<String> answer = ban(name, "1h");
      assertThat(answer.statusCode()).as(name).isEqualTo(400);
      assertThat(rules.current().rules()).isEmpty();
    }
    assertThat(ban("*", "1h").body()).contains("another attribute");
    ban("<script>alert(1)</script>", "1h");
    assertThat(isAllowed("<script>alert(1)</script>")).isFalse();
  }

  @Test
  void invalidBan_isRejected() {
    for (String time : List.of("0s", "31d", "x", "")) {
      assertThat(ban("mallory", time).statusCode()).as(time).isEqualTo(400);
    }
    assertThat(server.send("POST", PATH, "{\"for\":\"1m\"}").body())
        .contains("the caller is missing");
    assertThat(rules.current().rules()).isEmpty();
    try (AdminTestServer file = new AdminTestServer(Rules.parse("rules: []"))) {
      assertThat(file.send("POST", PATH + query("a"), "{\"for\":\"1m\"}").statusCode())
          .isEqualTo(409);
      assertThat(file.json(PATH).getJsonArray("refusals")).isEmpty();
    }
  }

  private JsonArray listedBans() {
    return server.json(PATH).getJsonArray("refusals");
  }
}
