package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.testkit.Soon;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rules of any database, changed over the admin doors of two nodes. */
@Timeout(60)
abstract class RuleCallsContract {
  private static final Duration REACH = Duration.ofSeconds(5);
  private static final String API = "/admin/rules/api";
  private static final String YAML = "application/yaml";

  private DatabaseRules rules;
  private DatabaseRules otherRules;
  private AdminDoor door;
  private AdminDoor other;

  /** A database nobody has used yet, the same one throughout a test. */
  abstract String url();

  @BeforeEach
  void open() {
    rules = DatabaseRules.open(url());
    otherRules = DatabaseRules.open(url());
    door = new AdminDoor(rules);
    other = new AdminDoor(otherRules);
  }

  @AfterEach
  void close() {
    door.close();
    other.close();
    rules.close();
    otherRules.close();
  }

  @Test
  void aRuleIsMadeShownAndReplaced() {
    HttpResponse<String> made = door.send("PUT", API, api(5), "X-Weir-User", "ann");
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    assertThat(tag(made)).isEqualTo("\"1\"");
    HttpResponse<String> shown = door.get(API);
    assertThat(shown.body()).isEqualTo(made.body()).isEqualTo(Rules.toJson(rule(5)));
    assertThat(tag(shown)).isEqualTo("\"1\"");
    assertThat(rules.current().rule("api")).isEqualTo(rule(5));

    HttpResponse<String> replaced = door.send("PUT", API, api(6), "If-Match", tag(shown));
    assertThat(replaced.statusCode()).isEqualTo(200);
    assertThat(tag(replaced)).isEqualTo("\"2\"");
    HttpResponse<String> same = door.send("PUT", API, api(6), "If-Match", tag(replaced));
    assertThat(same.statusCode()).isEqualTo(200);
    assertThat(tag(same)).as("nothing was changed").isEqualTo("\"2\"");

    JsonObject all = door.json("/admin/rules");
    assertThat(all.getLong("revision")).isEqualTo(2);
    assertThat(all.getBoolean("editable")).isTrue();
    assertThat(all.getJsonArray("rules")).containsExactly(new JsonObject(shownNow()));
    assertThat(all.getJsonObject("revisions")).isEqualTo(new JsonObject().put("api", 2));
    Soon.until(REACH, "it is on the other node", () -> other.get(API).body().equals(shownNow()));
  }

  private String shownNow() {
    return door.get(API).body();
  }

  @Test
  void whatSomebodyElseDidIsNeverLost() {
    door.send("PUT", API, api(5));
    String first = tag(door.get(API));
    assertThat(other.send("PUT", API, api(6), "If-Match", first).statusCode()).isEqualTo(200);

    HttpResponse<String> late = door.send("PUT", API, api(7), "If-Match", first);
    assertThat(late.statusCode()).isEqualTo(409);
    JsonObject conflict = new JsonObject(late.body());
    assertThat(conflict.getString("error")).isEqualTo("conflict");
    assertThat(conflict.getString("message")).contains("revision 2, not 1");
    assertThat(conflict.getLong("revision")).isEqualTo(2);
    assertThat(conflict.getJsonObject("rule")).isEqualTo(new JsonObject(Rules.toJson(rule(6))));
    assertThat(tag(late)).isEqualTo("\"2\"");

    HttpResponse<String> unsaid = door.send("PUT", API, api(7));
    assertThat(unsaid.statusCode()).isEqualTo(428);
    assertThat(new JsonObject(unsaid.body()).getLong("revision")).isEqualTo(2);
    assertThat(door.send("PUT", API, api(7), "If-None-Match", "*").statusCode()).isEqualTo(409);
    assertThat(door.send("DELETE", API, "", "If-Match", first).statusCode()).isEqualTo(409);
    assertThat(door.send("POST", API + "/undo", "", "If-Match", first).statusCode()).isEqualTo(409);
    assertThat(rules.current().rule("api")).isEqualTo(rule(6));
  }

  @Test
  void whoeverWantsToOverwritesWhateverIsThere() {
    assertThat(door.send("PUT", API, api(5), "If-Match", "*").statusCode()).isEqualTo(201);
    other.send("PUT", API, api(6), "If-Match", "1");
    HttpResponse<String> over = door.send("PUT", API, api(7), "If-Match", "*");
    assertThat(over.statusCode()).isEqualTo(200);
    assertThat(rules.current().rule("api")).isEqualTo(rule(7));
    String other = "/admin/rules/other";
    assertThat(door.send("PUT", other, api(1).replace("api", "other"), "If-Match", "\"9\"").body())
        .contains("there is no rule 'other' at revision 9");
  }

  @Test
  void aTypoIsRefusedWithItsPlaceAndNothingChanges() {
    door.send("PUT", API, api(5));
    String yaml = "id: api\nper: [user]\nlimt: 5/hour\nburst: many\n";
    HttpResponse<String> refused =
        door.send("PUT", API, yaml, "Content-Type", YAML, "If-Match", "*");
    assertThat(refused.statusCode()).isEqualTo(400);
    JsonObject error = new JsonObject(refused.body());
    assertThat(error.getString("error")).isEqualTo("bad_rules");
    assertThat(error.getString("message")).contains("limt", "did you mean limit");
    JsonObject problem = error.getJsonArray("problems").getJsonObject(0);
    assertThat(problem.getInteger("line")).isEqualTo(3);
    assertThat(problem.getInteger("column")).isEqualTo(1);
    assertThat(problem.getString("rule")).isEqualTo("api");
    assertThat(problem.getString("field")).isEqualTo("limt");
    assertThat(problem.getString("reason")).contains("did you mean limit");
    assertThat(error.getJsonArray("problems")).hasSizeGreaterThan(1);
    HttpResponse<String> elsewhere = door.send("PUT", "/admin/rules/web", api(5));
    assertThat(elsewhere.statusCode()).isEqualTo(400);
    assertThat(elsewhere.body()).contains("write 'web' in both");
    byte[] latin = {'i', 'd', ':', ' ', (byte) 0xe9};
    assertThat(
            door.ask(
                    door.request("PUT", API, "x")
                        .PUT(java.net.http.HttpRequest.BodyPublishers.ofByteArray(latin))
                        .header("Authorization", "Bearer " + AdminDoor.TOKEN)
                        .header("Content-Type", YAML))
                .body())
        .contains("UTF-8");
    assertThat(rules.current().rules()).containsExactly(rule(5));
  }

  @Test
  void whatCannotBeReadIsRefused() {
    for (String type : List.of("text/plain", "application/x-www-form-urlencoded", "*/*", "json")) {
      assertThat(door.send("PUT", API, api(5), "Content-Type", type).statusCode()).isEqualTo(415);
    }
    String typed = "Application/JSON; charset=utf-8";
    assertThat(door.send("PUT", API, api(5), "Content-Type", typed).statusCode()).isEqualTo(201);
    for (String match : List.of("W/\"1\"", "\"one\"", "", "\"1\", \"2\"", "-1", "9".repeat(30))) {
      HttpResponse<String> refused = door.send("PUT", API, api(6), "If-Match", match);
      assertThat(refused.statusCode()).as(match).isEqualTo(400);
    }
    for (String who : List.of(" ", "a".repeat(201))) {
      HttpResponse<String> refused = door.send("PUT", API, api(6), "X-Weir-User", who);
      assertThat(refused.statusCode()).as(who).isEqualTo(400);
    }
    String long1 = "{\"id\":\"api\",\"limit\":\"" + "5".repeat(1 << 20) + "\"}";
    assertThat(door.send("PUT", API, long1, "If-Match", "*").statusCode()).isEqualTo(413);
    assertThat(door.get("/admin/rules/%2e%2e").statusCode()).isEqualTo(404);
    assertThat(door.get("/admin/rules/none").statusCode()).isEqualTo(404);
    assertThat(rules.current().rules()).containsExactly(rule(5));
  }

  @Test
  void theHistorySaysWhoAndUndoTakesBack() {
    door.send("PUT", API, api(5), "X-Weir-User", "ann");
    door.send("PUT", API, api(6), "If-Match", "1", "X-Weir-User", "bob");
    JsonObject deleted = new JsonObject(door.send("DELETE", API, "").body());
    assertThat(deleted.getLong("revision")).isEqualTo(3);
    assertThat(door.get(API).statusCode()).isEqualTo(404);
    assertThat(door.send("DELETE", API, "").statusCode()).isEqualTo(404);

    JsonArray changes = door.json(API + "/history").getJsonArray("changes");
    assertThat(changes)
        .extracting(c -> ((JsonObject) c).getString("who"))
        .containsExactly("admin", "bob", "ann");
    JsonObject last = changes.getJsonObject(0);
    assertThat(last.getJsonObject("before")).isEqualTo(new JsonObject(Rules.toJson(rule(6))));
    assertThat(last.getValue("after")).isNull();
    assertThat(last.getInstant("when")).isNotNull();

    String undo = API + "/undo";
    HttpResponse<String> undone =
        door.send("POST", undo, "", "If-Match", "3", "X-Weir-User", "eve");
    assertThat(undone.statusCode()).isEqualTo(200);
    assertThat(new JsonObject(undone.body()).getJsonObject("rule"))
        .isEqualTo(new JsonObject(Rules.toJson(rule(6))));
    assertThat(rules.current().rules()).containsExactly(rule(6));
    assertThat(new JsonObject(door.send("POST", undo, "").body()).getValue("rule")).isNull();
    assertThat(rules.current().rules()).isEmpty();
    assertThat(door.send("POST", "/admin/rules/none/undo", "").statusCode()).isEqualTo(404);
    assertThat(door.get("/admin/rules/none/history").statusCode()).isEqualTo(404);
  }

  @Test
  void allRulesAreReplacedByWhatAFileSays() {
    door.send("PUT", API, api(5));
    String file =
        "rules:\n  - {id: web, limit: 1/second}\n  - {id: api, per: [user], limit: 9/hour}\n";
    String all = "/admin/rules";
    assertThat(door.send("PUT", all, file, "Content-Type", YAML).statusCode()).isEqualTo(428);
    assertThat(door.send("PUT", all, file, "Content-Type", YAML, "If-Match", "7").statusCode())
        .isEqualTo(409);
    HttpResponse<String> put =
        door.send("PUT", all, file, "Content-Type", YAML, "If-Match", tag(door.get(all)));
    assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
    assertThat(rules.current().rules()).extracting(Rule::id).containsExactly("web", "api");
    HttpResponse<String> shown = door.send("GET", all, "", "Accept", YAML);
    assertThat(shown.headers().firstValue("content-type")).contains(YAML);
    assertThat(Rules.read(shown.body())).isEqualTo(rules.current().rules());
    assertThat(Rules.readOne("", door.send("GET", API, "", "Accept", YAML).body()))
        .isEqualTo(rule(9));
  }

  @Test
  void everythingThatIsWrongIsSaidBeforeAnythingIsChanged() {
    String path = "/admin/rules/validate";
    assertThat(door.send("POST", path, api(5)).body())
        .startsWith("{\"valid\":true,\"rules\":1,\"problems\":[],\"rule\":{\"id\":\"api\"");
    String two = "rules:\n  - {id: a, limit: 1/hour}\n  - {id: a, limt: 1/hour}\n";
    JsonObject answer = new JsonObject(door.send("POST", path, two, "Content-Type", YAML).body());
    assertThat(answer.getBoolean("valid")).isFalse();
    assertThat(answer.getJsonArray("problems"))
        .hasSizeGreaterThanOrEqualTo(2)
        .allMatch(p -> ((JsonObject) p).getInteger("line") == 3);
    for (String wrong : List.of("{", "[]", "a: [", "x", "{\"id\":null}")) {
      HttpResponse<String> said = door.send("POST", path, wrong, "Content-Type", YAML);
      assertThat(said.statusCode()).isEqualTo(200);
      assertThat(new JsonObject(said.body()).getBoolean("valid")).as(wrong).isFalse();
    }
    assertThat(rules.current().rules()).isEmpty();
    String named = "{\"id\":\"validate\",\"limit\":\"1/hour\"}";
    assertThat(door.send("PUT", path, named).statusCode()).as("a rule of that name").isEqualTo(201);
    assertThat(door.get(path).statusCode()).isEqualTo(200);
  }

  private static Rule rule(int permits) {
    return Rules.readOne("test", api(permits));
  }

  private static String api(int permits) {
    return "{\"id\":\"api\",\"per\":[\"user\"],\"limit\":\"" + permits + "/hour\"}";
  }

  private static String tag(HttpResponse<String> response) {
    return response.headers().firstValue("etag").orElse("none");
  }
}
