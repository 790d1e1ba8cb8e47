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
import io.weir.server.web.BadInput;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Route;
import io.weir.server.web.Route.Content;
import io.weir.server.web.Route.Parameter;
import io.weir.store.nodes.Overshoot;
import java.util.List;
import java.util.Locale;

/** The calls that show rules and their history. */
final class RuleCalls {
  /** The schema of rules is that of their file, whose problems are told with their places. */
  static final Content TEXT = new Content(Asked.RULES, "{\"type\":\"object\"}");

  private static final String FIND = "find";
  private static final String FROM = "from";
  private static final String COUNT = "count";

  private final Node node;
  private final RuleSource rules;
  private final Work work;

  RuleCalls(Node node, Work work) {
    this.node = node;
    rules = node.rules();
    this.work = work;
  }

  List<Route> routes() {
    return List.of(
        new Route(
                GET,
                "/admin/rules",
                "All rules, or some of those in which a text is found",
                List.of(),
                List.of(200),
                this::all)
            .asking(Parameter.query(FIND), Parameter.query(FROM), Parameter.query(COUNT)),
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
    work.answer(http, () -> yaml ? yaml(rules.current()) : json(Some.of(http)));
  }

  private static Answer yaml(RuleSet all) {
    return new Answer(200, Answer.YAML, Rules.toYaml(all.rules()), all.revision());
  }

  /**
   * Which rules are asked for.
   *
   * @param find a text that the rule has, as JSON; in small letters
   */
  private record Some(String find, int from, int count) {
    static Some of(HttpServerRequest http) throws BadInput {
      String find = http.params(true).get(FIND);
      return new Some(
          find == null ? "" : find.strip().toLowerCase(Locale.ROOT),
          number(http, FROM, 0),
          number(http, COUNT, Integer.MAX_VALUE));
    }

    private static int number(HttpServerRequest http, String name, int otherwise) throws BadInput {
      String text = http.params(true).get(name);
      if (text != null && !text.matches("[0-9]{1,9}")) {
        throw new BadInput(name + " is no number; send digits");
      }
      return text == null ? otherwise : Integer.parseInt(text);
    }

    boolean meets(Rule rule) {
      return find.isEmpty() || Rules.toJson(rule).toLowerCase(Locale.ROOT).contains(find);
    }

    List<Rule> in(List<Rule> found) {
      return found.stream().skip(from).limit(count).toList();
    }
  }

  private Answer json(Some some) {
    RuleSet all = rules.current();
    List<Rule> found = all.rules().stream().filter(some::meets).toList();
    JsonFields revisions = revisions(some.in(found));
    while (all != rules.current()) { // a revision must not be newer than the rule it stands for
      all = rules.current();
      found = all.rules().stream().filter(some::meets).toList();
      revisions = revisions(some.in(found));
    }
    JsonFields fields = new JsonFields();
    fields.number("revision", all.revision()).number("stale_ms", rules.stale().toMillis());
    fields.truth("editable", rules instanceof DatabaseRules);
    if (rules instanceof FileRules file) {
      fields.text("file", file.file().toString());
    }
    fields.number("total", all.rules().size()).number("found", found.size());
    fields.list("rules", some.in(found).stream().map(Rules::toJson).toList());
    fields.json("revisions", revisions.end());
    fields.json("overshoot", overshoot(some.in(found)).end());
    JsonFields refused = new JsonFields();
    if (rules instanceof DatabaseRules database) {
      database.refused().forEach(refused::text);
    }
    return Answer.ok(fields.json("refused", refused.end()).end()).tagged(all.revision());
  }

  private JsonFields revisions(List<Rule> shown) {
    JsonFields revisions = new JsonFields();
    shown.forEach(rule -> revisions.number(rule.id(), revision(rule.id())));
    return revisions;
  }

  /** By how much the present nodes together may overrun a counter, of rules they may overrun. */
  private JsonFields overshoot(List<Rule> shown) {
    int nodes = node.store().health().nodes();
    JsonFields overshoot = new JsonFields();
    for (Rule rule : shown) {
      long most = Overshoot.of(rule, nodes);
      if (most > 0) {
        overshoot.number(rule.id(), most);
      }
    }
    return overshoot;
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
