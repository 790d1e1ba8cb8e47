package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.vertx.core.http.HttpServerRequest;
import io.weir.http.Json;
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
import org.jspecify.annotations.Nullable;

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
    work.answer(http, () -> all(rules.current(), yaml));
  }

  private Answer all(RuleSet all, boolean yaml) {
    if (yaml) {
      String text = Rules.toYaml(all.rules());
      return new Answer(200, Answer.YAML, text, all.revision());
    }
    StringBuilder list = new StringBuilder("[");
    StringBuilder revisions = new StringBuilder("{");
    for (Rule rule : all.rules()) {
      String comma = list.length() == 1 ? "" : ",\n";
      list.append(comma).append(Rules.toJson(rule));
      Json.quote(revisions.append(comma), rule.id()).append(':').append(revision(rule.id()));
    }
    JsonFields fields = new JsonFields();
    fields.number("revision", all.revision()).number("stale_ms", rules.stale().toMillis());
    fields.truth("editable", rules instanceof DatabaseRules);
    if (rules instanceof FileRules file) {
      fields.text("file", file.file().toString());
    }
    fields.json("rules", list.append(']').toString());
    fields.json("revisions", revisions.append('}').toString());
    return Answer.ok(fields.end()).tagged(all.revision());
  }

  private void one(HttpServerRequest http, String id) {
    one(rules.current().rule(id), id, Asked.wantsYaml(http)).send(http.response());
  }

  private Answer one(@Nullable Rule rule, String id, boolean yaml) {
    if (rule == null) {
      return noSuchRule(id);
    }
    return yaml
        ? new Answer(200, Answer.YAML, Rules.toYaml(rule), revision(id))
        : Answer.ok(Rules.toJson(rule)).tagged(revision(id));
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
