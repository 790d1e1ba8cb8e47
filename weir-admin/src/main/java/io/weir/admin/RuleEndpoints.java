package io.weir.admin;

import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.vertx.core.http.HttpServerRequest;
import io.weir.internal.JsonObjectBuilder;
import io.weir.internal.store.nodes.OvershootBound;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.rules.FileRules;
import io.weir.rules.Rules;
import io.weir.rules.database.EditableRules;
import io.weir.rules.database.RuleChange;
import io.weir.web.ApiRoute;
import io.weir.web.ApiRoute.RequestContent;
import io.weir.web.ApiRoute.RouteParameter;
import io.weir.web.InvalidInputException;
import java.util.List;
import java.util.Locale;

/** Endpoints that show, validate and search rules and their history. */
final class RuleEndpoints {
  /** Any object is accepted here; the rule parser reports problems with their positions. */
  static final RequestContent RULE_CONTENT =
      new RequestContent(AdminRequest.RULE_CONTENT_TYPES, "{\"type\":\"object\"}");

  private static final String FIND_PARAMETER = "find";
  private static final String FROM_PARAMETER = "from";
  private static final String COUNT_PARAMETER = "count";

  private final AdministeredNode node;
  private final RuleSource rules;
  private final AdminWorkerPool workers;

  RuleEndpoints(AdministeredNode node, AdminWorkerPool workers) {
    this.node = node;
    rules = node.rules();
    this.workers = workers;
  }

  List<ApiRoute> routes() {
    return List.of(
        new ApiRoute(
                GET,
                "/admin/rules",
                "All rules, or a page of the rules that contain a text",
                List.of(),
                List.of(200),
                this::listRules)
            .withParameters(
                RouteParameter.query(FIND_PARAMETER),
                RouteParameter.query(FROM_PARAMETER),
                RouteParameter.query(COUNT_PARAMETER)),
        new ApiRoute(
            POST,
            "/admin/rules/validate",
            "Validates a rule or a rules file and lists all problems",
            List.of(),
            RULE_CONTENT,
            List.of(200, 413, 415),
            (http, id) ->
                AdminRequest.readBody(
                    http,
                    RULE_CONTENT,
                    workers,
                    body -> RuleRequestBody.validate(body.getBytes()))),
        new ApiRoute(
            GET, "/admin/rules/{id}", "One rule", List.of(), List.of(200, 404), this::showRule),
        new ApiRoute(
            GET,
            "/admin/rules/{id}/history",
            "The changes of a rule, newest first",
            List.of(),
            List.of(200, 404, 409, 503),
            this::history));
  }

  private void listRules(HttpServerRequest http, String id) {
    boolean yaml = AdminRequest.prefersYaml(http);
    workers.respond(
        http, () -> yaml ? yamlResponse(rules.current()) : jsonResponse(RuleQuery.of(http)));
  }

  private static AdminResponse yamlResponse(RuleSet all) {
    return new AdminResponse(200, AdminResponse.YAML, Rules.toYaml(all.rules()), all.revision());
  }

  /**
   * Selects a page of rules.
   *
   * @param find a text that the JSON of a rule contains, in lower case; empty for all rules
   */
  private record RuleQuery(String find, int from, int count) {
    static RuleQuery of(HttpServerRequest http) throws InvalidInputException {
      String find = http.params(true).get(FIND_PARAMETER);
      return new RuleQuery(
          find == null ? "" : find.strip().toLowerCase(Locale.ROOT),
          intParameter(http, FROM_PARAMETER, 0),
          intParameter(http, COUNT_PARAMETER, Integer.MAX_VALUE));
    }

    private static int intParameter(HttpServerRequest http, String name, int defaultValue)
        throws InvalidInputException {
      String text = http.params(true).get(name);
      if (text != null && !text.matches("[0-9]{1,9}")) {
        throw new InvalidInputException(name + " must be a whole number; send digits");
      }
      return text == null ? defaultValue : Integer.parseInt(text);
    }

    boolean matches(Rule rule) {
      return find.isEmpty() || Rules.toJson(rule).toLowerCase(Locale.ROOT).contains(find);
    }

    List<Rule> page(List<Rule> found) {
      return found.stream().skip(from).limit(count).toList();
    }
  }

  private AdminResponse jsonResponse(RuleQuery query) {
    RuleSet all = rules.current();
    List<Rule> found = all.rules().stream().filter(query::matches).toList();
    JsonObjectBuilder revisions = revisionsJson(query.page(found));
    while (all != rules.current()) { // a revision must not be newer than its rule
      all = rules.current();
      found = all.rules().stream().filter(query::matches).toList();
      revisions = revisionsJson(query.page(found));
    }
    JsonObjectBuilder fields = new JsonObjectBuilder();
    fields.number("revision", all.revision()).number("stale_ms", rules.staleness().toMillis());
    fields.bool("editable", EditableRules.of(rules).isPresent());
    if (rules instanceof FileRules file) {
      fields.text("file", file.file().toString());
    }
    fields.number("total", all.rules().size()).number("found", found.size());
    fields.rawJsonList("rules", query.page(found).stream().map(Rules::toJson).toList());
    fields.rawJson("revisions", revisions.build());
    fields.rawJson("overshoot", overshootJson(query.page(found)).build());
    JsonObjectBuilder rejected = new JsonObjectBuilder();
    EditableRules.of(rules).ifPresent(database -> database.rejected().forEach(rejected::text));
    return AdminResponse.ok(fields.rawJson("refused", rejected.build()).build())
        .withRevision(all.revision());
  }

  private JsonObjectBuilder revisionsJson(List<Rule> shown) {
    JsonObjectBuilder revisions = new JsonObjectBuilder();
    shown.forEach(rule -> revisions.number(rule.id(), revision(rule.id())));
    return revisions;
  }

  /**
   * Returns by how many permits the current nodes together may exceed each rule; exact rules are
   * omitted.
   */
  private JsonObjectBuilder overshootJson(List<Rule> shown) {
    int nodes = node.store().health().nodes();
    JsonObjectBuilder overshoot = new JsonObjectBuilder();
    for (Rule rule : shown) {
      long permits = OvershootBound.of(rule, nodes);
      if (permits > 0) {
        overshoot.number(rule.id(), permits);
      }
    }
    return overshoot;
  }

  private void showRule(HttpServerRequest http, String id) {
    long revision = revision(id); // read before the rule, so that it is not newer
    Rule rule = rules.current().rule(id);
    AdminResponse answer =
        rule == null
            ? unknownRule(id)
            : AdminRequest.prefersYaml(http)
                ? new AdminResponse(200, AdminResponse.YAML, Rules.toYaml(rule), revision)
                : AdminResponse.ok(Rules.toJson(rule)).withRevision(revision);
    answer.send(http.response());
  }

  private long revision(String id) {
    return EditableRules.of(rules)
        .map(database -> database.revision(id))
        .orElseGet(() -> rules.current().revision());
  }

  private void history(HttpServerRequest http, String id) {
    EditableRules.of(rules)
        .ifPresentOrElse(
            database -> workers.respond(http, () -> history(id, database.history(id))),
            () -> RuleEditEndpoints.rulesInFile(rules).send(http.response()));
  }

  private static AdminResponse history(String id, List<RuleChange> changes) {
    if (changes.isEmpty()) {
      return unknownRule(id);
    }
    List<String> entries = changes.stream().map(RuleEndpoints::changeJson).toList();
    return AdminResponse.ok(
        new JsonObjectBuilder().text("id", id).rawJsonList("changes", entries).build());
  }

  private static String changeJson(RuleChange change) {
    return new JsonObjectBuilder()
        .number("revision", change.revision())
        .text("who", change.who())
        .text("when", change.when().toString())
        .rawJson("before", change.before().orElse("null"))
        .rawJson("after", change.after().orElse("null"))
        .build();
  }

  static AdminResponse unknownRule(String id) {
    return AdminResponse.error(
        404, "unknown_rule", "there is no rule '" + AdminRequest.truncate(id) + "'");
  }
}
