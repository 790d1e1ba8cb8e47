package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.redis.RedisStore;
import io.weir.rule.Durations;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.rules.database.Change;
import io.weir.rules.database.DatabaseRules;
import io.weir.testkit.Soon;
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

/** A caller is refused for a time, and only for that time, and only that caller. */
@Timeout(60)
class RefusalCallsTest {
  private static final String PATH = "/admin/refusals";

  @TempDir Path folder;
  private DatabaseRules rules;
  private AdminDoor door;
  private Limiter limiter;

  @BeforeEach
  void open() {
    rules = DatabaseRules.open("jdbc:h2:file:" + folder.resolve("rules"));
    door = new AdminDoor(rules);
    limiter = Weir.limiter(rules).store(door.store).clock(door.clock).build();
  }

  @AfterEach
  void close() {
    door.close();
    rules.close();
  }

  private boolean allowed(String user) {
    return limiter.decideNow(Request.of("user", user, "endpoint", "GET /x")).allowed();
  }

  private HttpResponse<String> refuse(String user, String time) {
    return door.send(
        "POST", PATH + query(user), "{\"for\":\"" + time + "\"}", "X-Weir-User", "ann");
  }

  private static String query(String user) {
    return "?user=" + URLEncoder.encode(user, StandardCharsets.UTF_8);
  }

  @Test
  void itIsOverToTheMicrosecondAndByItself() {
    for (String time : List.of("1s", "10m", "30d")) {
      Duration lasts = Durations.parse(time);
      assertThat(allowed("mallory")).isTrue();
      HttpResponse<String> answer = refuse("mallory", time);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(new JsonObject(answer.body()).getLong("left_ms")).isEqualTo(lasts.toMillis());
      assertThat(allowed("mallory")).isFalse();
      assertThat(allowed("bob")).isTrue();
      door.clock.advance(lasts.minusNanos(1000));
      assertThat(allowed("mallory")).as("a moment before " + time).isFalse();
      door.clock.advance(Duration.ofNanos(1000));
      assertThat(allowed("mallory")).as("after " + time).isTrue();
      door.clock.advance(Duration.ofDays(1));
    }
    assertThat(refusals()).isEmpty();
  }

  @Test
  void itIsListedLiftedAndInTheHistory() {
    refuse("mallory", "1h");
    JsonObject listed = refusals().getJsonObject(0);
    assertThat(listed.getJsonObject("caller")).isEqualTo(new JsonObject().put("user", "mallory"));
    assertThat(listed.getLong("left_ms")).isEqualTo(3_600_000);
    assertThat(rules.history(listed.getString("rule")))
        .extracting(Change::who)
        .containsExactly("ann");
    assertThat(door.send("DELETE", PATH + query("mallory"), "").statusCode()).isEqualTo(200);
    assertThat(allowed("mallory")).isTrue();
    assertThat(refusals()).isEmpty();
    assertThat(door.send("DELETE", PATH + query("mallory"), "").statusCode()).isEqualTo(404);
  }

  @Test
  void itIsMadeLongerOrShorter() {
    refuse("mallory", "1h");
    refuse("mallory", "1m");
    assertThat(refusals().getJsonObject(0).getLong("left_ms")).isEqualTo(60_000);
    assertThat(refusals()).hasSize(1);
    assertThat(rules.current().rules()).as("one rule for a caller").hasSize(1);
    assertThat(door.send("DELETE", PATH + query("mallory"), "").statusCode()).isEqualTo(200);
    assertThat(rules.current().rules()).isEmpty();
  }

  @Test
  void refusalHasEnded_itsRuleIsDeletedWithoutAnotherCall() throws Exception {
    refuse("mallory", "1m");
    refuse("other", "1h");
    AutoCloseable watch = door.api.watch();
    try {
      door.clock.advance(Duration.ofSeconds(70));
      Soon.until(Duration.ofSeconds(30), "one is left", () -> rules.current().rules().size() == 1);
      assertThat(allowed("other")).isFalse();
      door.clock.advance(Duration.ofHours(1));
      Soon.until(Duration.ofSeconds(30), "none is left", () -> rules.current().rules().isEmpty());
    } finally {
      watch.close();
    }
  }

  @Test
  void refusalHasEndedWhileStoreAndDatabaseAreAway_callerIsAllowed() {
    refuse("mallory", "1m");
    RuleSet last = rules.current();
    Request mallory = Request.of("user", "mallory");
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = RedisStore.at(redis.uri()).open()) {
      redis.kill();
      Limiter cutOff = Weir.limiter(new ActiveRules(() -> last, door.clock)).store(store).build();
      assertThat(cutOff.decideNow(mallory).allowed()).as("fail closed").isFalse();
      assertThat(cutOff.decideNow(Request.of("user", "bob")).allowed()).isTrue();
      door.clock.advance(Duration.ofSeconds(70));
      assertThat(cutOff.decideNow(mallory).allowed()).isTrue();
      assertThat(last.rules()).as("its rule is still written").hasSize(1);
    }
  }

  @Test
  void callerNamedLikeAPattern_isRejectedAndNobodyIsRefused() {
    for (String name : List.of("*", "a*", "**", "a*b", "!a")) {
      HttpResponse<String> answer = refuse(name, "1h");
      assertThat(answer.statusCode()).as(name).isEqualTo(400);
      assertThat(rules.current().rules()).isEmpty();
    }
    assertThat(refuse("*", "1h").body()).contains("another attribute");
    refuse("<script>alert(1)</script>", "1h");
    assertThat(allowed("<script>alert(1)</script>")).isFalse();
  }

  @Test
  void whatCannotBeIsSaid() {
    for (String time : List.of("0s", "31d", "x", "")) {
      assertThat(refuse("mallory", time).statusCode()).as(time).isEqualTo(400);
    }
    assertThat(door.send("POST", PATH, "{\"for\":\"1m\"}").body()).contains("nobody is named");
    assertThat(rules.current().rules()).isEmpty();
    try (AdminDoor file = new AdminDoor(Rules.parse("rules: []"))) {
      assertThat(file.send("POST", PATH + query("a"), "{\"for\":\"1m\"}").statusCode())
          .isEqualTo(409);
      assertThat(file.json(PATH).getJsonArray("refusals")).isEmpty();
    }
  }

  private JsonArray refusals() {
    return door.json(PATH).getJsonArray("refusals");
  }
}
