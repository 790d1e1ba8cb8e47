package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.rules.FileRules;
import io.weir.rules.Rules;
import io.weir.rules.database.Change;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Route;
import io.weir.server.web.Route.Content;
import java.util.List;

/** The calls that show rules and their history. */
final class RuleCalls {
  /** The schema of rules is that of their file, whose problems are told with their places. */
  static final Content TEXT = new Content(Asked.RULES, "{\"type\":\"object\"}");

  private final RuleSource rules;
  private final Work work;

  RuleCalls(RuleSource rules, Work work) {
    this.rules = rules;
    this.work = work;
  }

  List<Route> routes() {
    return List.of(
        new Route(GET, "/admin/rules", "All rules", List.of(), List.of(200), this::all),
        new Route(
            POST,
            "/admin/rules/validate",
            "Says everything that is wrong with a rule, or with a file of them",
            List.of(),
            TEXT,
            List.of(200, 413, 415),
            (http, id) -> Asked.body(http, TEXT, work, text -> RuleText.validate(text.getBytes()))),
        new Route(GET, "/admin/rules/{id}", "One rule", List.of(), List.of(200, 404), this::one),
        new Route(
            GET,
            "/admin/rules/{id}/history",
            "The changes of a rule, the last one first",
            List.of(),
            List.of(200, 404, 409, 503),
            this::history));
  }

  private void all(HttpServerRequest http, String id) {
    boolean yaml = Asked.wantsYaml(http);
    work.answer(http, () -> yaml ? yaml(rules.current()) : json());
  }

  private static Answer yaml(RuleSet all) {
    return new Answer(200, Answer.YAML, Rules.toYaml(all.rules()), all.revision());
  }

  private Answer json() {
    RuleSet all = rules.current();
    JsonFields revisions = revisions(all);
    while (all != rules.current()) { // a revision must not be newer than the rule it stands for
      all = rules.current();
      revisions = revisions(all);
    }
    JsonFields fields = new JsonFields();
    fields.number("revision", all.revision()).number("stale_ms", rules.stale().toMillis());
    fields.truth("editable", rules instanceof DatabaseRules);
    if (rules instanceof FileRules file) {
      fields.text("file", file.file().toString());
    }
    fields.list("rules", all.rules().stream().map(Rules::toJson).toList());
    fields.json("revisions", revisions.end());
    JsonFields refused = new JsonFields();
    if (rules instanceof DatabaseRules database) {
      database.refused().forEach(refused::text);
    }
    return Answer.ok(fields.json("refused", refused.end()).end()).tagged(all.revision());
  }

  private JsonFields revisions(RuleSet all) {
    JsonFields revisions = new JsonFields();
    all.rules().forEach(rule -> revisions.number(rule.id(), revision(rule.id())));
    return revisions;
  }

  private void one(HttpServerRequest http, String id) {
    long revision = revision(id); // before the rule, lest it be newer
    Rule rule = rules.current().rule(id);
    Answer answer =
        rule == null
            ? noSuchRule(id)
            : Asked.wantsYaml(http)
                ? new Answer(200, Answer.YAML, Rules.toYaml(rule), revision)
                : Answer.ok(Rules.toJson(rule)).tagged(revision);
    answer.send(http.response());
  }

  private long revision(String id) {
    return rules instanceof DatabaseRules database
        ? database.revision(id)
        : rules.current().revision();
  }

  private void history(HttpServerRequest http, String id) {
    if (rules instanceof DatabaseRules database) {
      work.answer(http, () -> history(id, database.history(id)));
    } else {
      RuleEdits.elsewhere(rules).send(http.response());
    }
  }

  private static Answer history(String id, List<Change> changes) {
    if (changes.isEmpty()) {
      return noSuchRule(id);
    }
    List<String> told = changes.stream().map(RuleCalls::told).toList();
    return Answer.ok(new JsonFields().text("id", id).list("changes", told).end());
  }

  private static String told(Change change) {
    return new JsonFields()
        .number("revision", change.revision())
        .text("who", change.who())
        .text("when", change.when().toString())
        .json("before", change.before().orElse("null"))
        .json("after", change.after().orElse("null"))
        .end();
  }

  static Answer noSuchRule(String id) {
    return Answer.error(404, "unknown_rule", "there is no rule '" + Asked.shown(id) + "'");
  }
}
