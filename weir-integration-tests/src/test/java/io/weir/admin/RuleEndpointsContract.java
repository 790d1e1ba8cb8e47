package io.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.testkit.Await;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Changes rules in a database over the admin APIs of two nodes. */
@Timeout(60)
abstract class RuleEndpointsContract {
  private static final Duration PROPAGATION_TIMEOUT = Duration.ofSeconds(5);
  private static final String RULE_PATH = "/admin/rules/api";
  private static final String YAML = "application/yaml";

  private DatabaseRules rules;
  private DatabaseRules otherRules;
  private AdminTestServer server;
  private AdminTestServer otherServer;

  /** Returns the URL of a new database, the same throughout a test. */
  abstract String url();

  @BeforeEach
  void open() {
    rules = DatabaseRules.open(url());
    otherRules = DatabaseRules.open(url());
    server = new AdminTestServer(rules);
    otherServer = new AdminTestServer(otherRules);
  }

  @AfterEach
  void close() {
    server.close();
    otherServer.close();
    rules.close();
    otherRules.close();
  }

  @Test
  void putRule_createsShowsAndReplaces() {
    HttpResponse<String> created = server.send("PUT", RULE_PATH, api(5), "X-Weir-User", "ann");
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    assertThat(etag(created)).isEqualTo("\"1\"");
    HttpResponse<String> read = server.get(RULE_PATH);
    assertThat(read.body()).isEqualTo(created.body()).isEqualTo(Rules.toJson(rule(5)));
    assertThat(etag(read)).isEqualTo("\"1\"");
    assertThat(rules.current().rule("api")).isEqualTo(rule(5));

    HttpResponse<String> replaced = server.send("PUT", RULE_PATH, api(6), "If-Match", etag(read));
    assertThat(replaced.statusCode()).isEqualTo(200);
    assertThat(etag(replaced)).isEqualTo("\"2\"");
    HttpResponse<String> same = server.send("PUT", RULE_PATH, api(6), "If-Match", etag(replaced));
    assertThat(same.statusCode()).isEqualTo(200);
    assertThat(etag(same)).as("unchanged").isEqualTo("\"2\"");

    JsonObject all = server.json("/admin/rules");
    assertThat(all.getLong("revision")).isEqualTo(2);
    assertThat(all.getBoolean("editable")).isTrue();
    assertThat(all.getJsonArray("rules")).containsExactly(new JsonObject(currentBody()));
    assertThat(all.getJsonObject("revisions")).isEqualTo(new JsonObject().put("api", 2));
    Await.until(
        PROPAGATION_TIMEOUT,
        "the change reaches the other node",
        () -> otherServer.get(RULE_PATH).body().equals(currentBody()));
  }

  private String currentBody() {
    return server.get(RULE_PATH).body();
  }

  @Test
  void staleRevision_isRejectedWithConflict() {
    server.send("PUT", RULE_PATH, api(5));
    String first = etag(server.get(RULE_PATH));
    assertThat(otherServer.send("PUT", RULE_PATH, api(6), "If-Match", first).statusCode())
        .isEqualTo(200);

    HttpResponse<String> conflicting = server.send("PUT", RULE_PATH, api(7), "If-Match", first);
    assertThat(conflicting.statusCode()).isEqualTo(409);
    JsonObject conflict = new JsonObject(conflicting.body());
    assertThat(conflict.getString("error")).isEqualTo("conflict");
    assertThat(conflict.getString("message")).contains("revision 2, not 1");
    assertThat(conflict.getLong("revision")).isEqualTo(2);
    assertThat(conflict.getJsonObject("rule")).isEqualTo(new JsonObject(Rules.toJson(rule(6))));
    assertThat(etag(conflicting)).isEqualTo("\"2\"");

    HttpResponse<String> withoutIfMatch = server.send("PUT", RULE_PATH, api(7));
    assertThat(withoutIfMatch.statusCode()).isEqualTo(428);
    assertThat(new JsonObject(withoutIfMatch.body()).getLong("revision")).isEqualTo(2);
    assertThat(server.send("PUT", RULE_PATH, api(7), "If-None-Match", "*").statusCode())
        .isEqualTo(409);
    assertThat(server.send("DELETE", RULE_PATH, "", "If-Match", first).statusCode()).isEqualTo(409);
    assertThat(server.send("POST", RULE_PATH + "/undo", "", "If-Match", first).statusCode())
        .isEqualTo(409);
    assertThat(rules.current().rule("api")).isEqualTo(rule(6));
  }

  @Test
  void ifMatchAny_overwritesAnyRevision() {
    assertThat(server.send("PUT", RULE_PATH, api(5), "If-Match", "*").statusCode()).isEqualTo(201);
    otherServer.send("PUT", RULE_PATH, api(6), "If-Match", "1");
    HttpResponse<String> over = server.send("PUT", RULE_PATH, api(7), "If-Match", "*");
    assertThat(over.statusCode()).isEqualTo(200);
    assertThat(rules.current().rule("api")).isEqualTo(rule(7));
    String other = "/admin/rules/other";
    assertThat(
            server.send("PUT", other, api(1).replace("api", "other"), "If-Match", "\"9\"").body())
        .contains("there is no rule 'other' at revision 9");
  }

  @Test
  void invalidRule_isRejectedWithPositions() {
    server.send("PUT", RULE_PATH, api(5));
    String yaml = "id: api\nper: [user]\nlimt: 5/hour\nburst: many\n";
    HttpResponse<String> refused =
        server.send("PUT", RULE_PATH, yaml, "Content-Type", YAML, "If-Match", "*");
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
    HttpResponse<String> elsewhere = server.send("PUT", "/admin/rules/web", api(5));
    assertThat(elsewhere.statusCode()).isEqualTo(400);
    assertThat(elsewhere.body()).contains("write 'web' in both");
    byte[] latin = {'i', 'd', ':', ' ', (byte) 0xe9};
    assertThat(
            server
                .exchange(
                    server
                        .request("PUT", RULE_PATH, "x")
                        .PUT(java.net.http.HttpRequest.BodyPublishers.ofByteArray(latin))
                        .header("Authorization", "Bearer " + AdminTestServer.TOKEN)
                        .header("Content-Type", YAML))
                .body())
        .contains("UTF-8");
    assertThat(rules.current().rules()).containsExactly(rule(5));
  }

  @Test
  void malformedRequest_isRejected() {
    for (String type : List.of("text/plain", "application/x-www-form-urlencoded", "*/*", "json")) {
      assertThat(server.send("PUT", RULE_PATH, api(5), "Content-Type", type).statusCode())
          .isEqualTo(415);
    }
    String typed = "Application/JSON; charset=utf-8";
    assertThat(server.send("PUT", RULE_PATH, api(5), "Content-Type", typed).statusCode())
        .isEqualTo(201);
    for (String match : List.of("W/\"1\"", "\"one\"", "", "\"1\", \"2\"", "-1", "9".repeat(30))) {
      HttpResponse<String> refused = server.send("PUT", RULE_PATH, api(6), "If-Match", match);
      assertThat(refused.statusCode()).as(match).isEqualTo(400);
    }
    for (String user : List.of(" ", "a".repeat(201))) {
      HttpResponse<String> refused = server.send("PUT", RULE_PATH, api(6), "X-Weir-User", user);
      assertThat(refused.statusCode()).as(user).isEqualTo(400);
    }
    String longRule = "{\"id\":\"api\",\"limit\":\"" + "5".repeat(1 << 20) + "\"}";
    assertThat(server.send("PUT", RULE_PATH, longRule, "If-Match", "*").statusCode())
        .isEqualTo(413);
    assertThat(server.get("/admin/rules/%2e%2e").statusCode()).isEqualTo(404);
    assertThat(server.get("/admin/rules/none").statusCode()).isEqualTo(404);
    assertThat(rules.current().rules()).containsExactly(rule(5));
  }

  @Test
  void historyAndUndo_recordAndRevertChanges() {
    server.send("PUT", RULE_PATH, api(5), "X-Weir-User", "ann");
    server.send("PUT", RULE_PATH, api(6), "If-Match", "1", "X-Weir-User", "bob");
    JsonObject deleted = new JsonObject(server.send("DELETE", RULE_PATH, "").body());
    assertThat(deleted.getLong("revision")).isEqualTo(3);
    assertThat(server.get(RULE_PATH).statusCode()).isEqualTo(404);
    assertThat(server.send("DELETE", RULE_PATH, "").statusCode()).isEqualTo(404);

    JsonArray changes = server.json(RULE_PATH + "/history").getJsonArray("changes");
    assertThat(changes)
        .extracting(c -> ((JsonObject) c).getString("who"))
        .containsExactly("admin", "bob", "ann");
    JsonObject last = changes.getJsonObject(0);
    assertThat(last.getJsonObject("before")).isEqualTo(new JsonObject(Rules.toJson(rule(6))));
    assertThat(last.getValue("after")).isNull();
    assertThat(last.getInstant("when")).isNotNull();

    String undo = RULE_PATH + "/undo";
    HttpResponse<String> undone =
        server.send("POST", undo, "", "If-Match", "3", "X-Weir-User", "eve");
    assertThat(undone.statusCode()).isEqualTo(200);
    assertThat(new JsonObject(undone.body()).getJsonObject("rule"))
        .isEqualTo(new JsonObject(Rules.toJson(rule(6))));
    assertThat(rules.current().rules()).containsExactly(rule(6));
    assertThat(new JsonObject(server.send("POST", undo, "").body()).getValue("rule")).isNull();
    assertThat(rules.current().rules()).isEmpty();
    assertThat(server.send("POST", "/admin/rules/none/undo", "").statusCode()).isEqualTo(404);
    assertThat(server.get("/admin/rules/none/history").statusCode()).isEqualTo(404);
  }

  @Test
  void putAllRules_replacesAllRules() {
    server.send("PUT", RULE_PATH, api(5));
    String file =
        "rules:\n  - {id: web, limit: 1/second}\n  - {id: api, per: [user], limit: 9/hour}\n";
    String all = "/admin/rules";
    assertThat(server.send("PUT", all, file, "Content-Type", YAML).statusCode()).isEqualTo(428);
    assertThat(server.send("PUT", all, file, "Content-Type", YAML, "If-Match", "7").statusCode())
        .isEqualTo(409);
    HttpResponse<String> put =
        server.send("PUT", all, file, "Content-Type", YAML, "If-Match", etag(server.get(all)));
    assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
    assertThat(rules.current().rules()).extracting(Rule::id).containsExactly("web", "api");
    HttpResponse<String> shown = server.send("GET", all, "", "Accept", YAML);
    assertThat(shown.headers().firstValue("content-type")).contains(YAML);
    assertThat(Rules.read(shown.body())).isEqualTo(rules.current().rules());
    assertThat(Rules.readOne("", server.send("GET", RULE_PATH, "", "Accept", YAML).body()))
        .isEqualTo(rule(9));
  }

  @Test
  void validate_reportsAllProblemsAndChangesNothing() {
    String path = "/admin/rules/validate";
    assertThat(server.send("POST", path, api(5)).body())
        .startsWith(
            "{\"valid\":true,\"rules\":1,\"problems\":[],\"warnings\":[],\"rule\":{\"id\":\"api\"");
    String two = "rules:\n  - {id: a, limit: 1/hour}\n  - {id: a, limt: 1/hour}\n";
    JsonObject answer = new JsonObject(server.send("POST", path, two, "Content-Type", YAML).body());
    assertThat(answer.getBoolean("valid")).isFalse();
    assertThat(answer.getJsonArray("problems"))
        .hasSizeGreaterThanOrEqualTo(2)
        .allMatch(p -> ((JsonObject) p).getInteger("line") == 3);
    for (String invalid : List.of("{", "[]", "a: [", "x", "{\"id\":null}")) {
      HttpResponse<String> response = server.send("POST", path, invalid, "Content-Type", YAML);
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(new JsonObject(response.body()).getBoolean("valid")).as(invalid).isFalse();
    }
    assertThat(rules.current().rules()).isEmpty();
    String named = "{\"id\":\"validate\",\"limit\":\"1/hour\"}";
    assertThat(server.send("PUT", path, named).statusCode())
        .as("a rule with the id validate")
        .isEqualTo(201);
    assertThat(server.get(path).statusCode()).isEqualTo(200);
  }

  private static Rule rule(int permits) {
    return Rules.readOne("test", api(permits));
  }

  private static String api(int permits) {
    return "{\"id\":\"api\",\"per\":[\"user\"],\"limit\":\"" + permits + "/hour\"}";
  }

  private static String etag(HttpResponse<String> response) {
    return response.headers().firstValue("etag").orElse("none");
  }
}
