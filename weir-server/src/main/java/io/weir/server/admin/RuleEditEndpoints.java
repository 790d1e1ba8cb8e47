package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rule.Rule;
import io.weir.rule.RuleSource;
import io.weir.rules.FileRules;
import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.database.StaleRevisionException;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.server.web.ApiRoute;
import io.weir.server.web.ApiRoute.RequestContent;
import io.weir.server.web.ApiRoute.RouteParameter;
import io.weir.server.web.InvalidInputException;
import io.weir.server.web.JsonObjectBuilder;
import java.util.List;
import java.util.function.Function;

/**
 * The calls that change rules, where these live in a database.
 *
 * <p>A change says which revision it is a change of, so that nobody undoes by accident what
 * somebody else did meanwhile. Only what is new, and what can be taken back by one more call, needs
 * not say it.
 */
final class RuleEditEndpoints {
  private final RuleSource rules;
  private final AdminWorkerPool workers;

  RuleEditEndpoints(RuleSource rules, AdminWorkerPool work) {
    this.rules = rules;
    this.workers = work;
  }

  /** A change as a request asks for it. */
  private record RuleEdit(
      DatabaseRules rules, String id, String actor, Precondition precondition, Buffer body) {}

  List<ApiRoute> routes() {
    return List.of(
        route(PUT, "/admin/rules", "Makes these all rules there are", this::replace)
            .withStatuses(200, 413, 415, 428),
        route(PUT, "/admin/rules/{id}", "Makes or replaces a rule", this::put)
            .withParameters(RouteParameter.header("If-None-Match"))
            .withStatuses(200, 201, 413, 415, 428),
        route(DELETE, "/admin/rules/{id}", "Deletes a rule", this::delete).withStatuses(200, 404),
        route(POST, "/admin/rules/{id}/undo", "Takes the last change of a rule back", this::undo)
            .withStatuses(200, 404));
  }

  private ApiRoute route(
      HttpMethod method, String path, String summary, Function<RuleEdit, AdminResponse> change) {
    RequestContent content = method.equals(PUT) ? RuleEndpoints.RULE_CONTENT : RequestContent.NONE;
    return new ApiRoute(
        method,
        path,
        summary,
        List.of(
            RouteParameter.header("If-Match"), RouteParameter.header(AdminRequest.ACTOR_HEADER)),
        content,
        List.of(409, 503),
        (http, id) -> handle(http, id, content, change));
  }

  private void handle(
      HttpServerRequest http,
      String id,
      RequestContent content,
      Function<RuleEdit, AdminResponse> change) {
    if (!(rules instanceof DatabaseRules database)) {
      rulesInFile(rules).send(http.response());
      return;
    }
    try {
      String who = AdminRequest.actor(http);
      Precondition meant = Precondition.from(http);
      AdminRequest.readBody(
          http,
          content,
          workers,
          text -> apply(new RuleEdit(database, id, who, meant, text), change));
    } catch (InvalidInputException e) {
      AdminResponse.badRequest(e).send(http.response());
    }
  }

  private static AdminResponse apply(RuleEdit edit, Function<RuleEdit, AdminResponse> change) {
    try {
      return change.apply(edit);
    } catch (StaleRevisionException e) {
      return conflict(edit, e);
    }
  }

  private AdminResponse replace(RuleEdit edit) {
    List<Rule> all = RuleRequestBody.readAll(edit.body().getBytes());
    long revision =
        edit.precondition()
            .apply(
                edit.rules().current().revision(), r -> edit.rules().replace(all, edit.actor(), r));
    return AdminResponse.ok(
            new JsonObjectBuilder()
                .number("revision", revision)
                .number("rules", all.size())
                .build())
        .withRevision(revision);
  }

  private AdminResponse put(RuleEdit edit) {
    Rule rule = RuleRequestBody.readNamed(edit.body().getBytes(), edit.id());
    boolean[] made = {false};
    long revision =
        edit.precondition()
            .apply(
                edit.rules().revision(edit.id()),
                r -> {
                  made[0] = r == 0;
                  return edit.rules().put(rule, edit.actor(), r);
                });
    return AdminResponse.json(made[0] ? 201 : 200, Rules.toJson(rule)).withRevision(revision);
  }

  private AdminResponse delete(RuleEdit edit) {
    long revision =
        edit.precondition()
            .orAny()
            .apply(
                edit.rules().revision(edit.id()),
                r -> edit.rules().delete(edit.id(), edit.actor(), r));
    return AdminResponse.ok(
        new JsonObjectBuilder().text("deleted", edit.id()).number("revision", revision).build());
  }

  private AdminResponse undo(RuleEdit edit) {
    try {
      long revision =
          edit.precondition().type() == Precondition.PreconditionType.REVISION
              ? edit.rules().undo(edit.id(), edit.actor(), edit.precondition().revision())
              : edit.rules().undo(edit.id(), edit.actor());
      return AdminResponse.ok(stateJson(edit, new JsonObjectBuilder(), revision));
    } catch (InvalidConfigurationException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      return AdminResponse.error(404, "unknown_rule", String.valueOf(e.getMessage()));
    }
  }

  private static AdminResponse conflict(RuleEdit edit, StaleRevisionException e) {
    if (e.currentRevision() == 0 && edit.body().length() == 0) {
      return RuleEndpoints.unknownRule(edit.id());
    }
    boolean unsaid = e.currentRevision() != 0 && !edit.precondition().isPresent();
    JsonObjectBuilder fields = new JsonObjectBuilder();
    if (unsaid) {
      fields.text("error", "precondition_required");
      fields.text(
          "message",
          "it exists; send If-Match with the ETag of the one you replace, or * for whatever is there");
    } else {
      fields.text("error", "conflict").text("message", e.getMessage());
    }
    return AdminResponse.json(unsaid ? 428 : 409, stateJson(edit, fields, e.currentRevision()))
        .withRevision(e.currentRevision());
  }

  /** What is there now: its revision and, where one rule is meant, that rule. */
  private static String stateJson(RuleEdit edit, JsonObjectBuilder fields, long revision) {
    fields.number("revision", revision);
    if (!edit.id().isEmpty()) {
      Rule rule = edit.rules().current().rule(edit.id());
      fields.rawJson("rule", rule == null ? "null" : Rules.toJson(rule));
    }
    return fields.build();
  }

  /** Says where rules are changed that are not changed here. */
  static AdminResponse rulesInFile(RuleSource rules) {
    String place = rules instanceof FileRules file ? "edit " + file.file() : "edit them there";
    return AdminResponse.error(409, "rules_in_file", "rules live in a file; " + place);
  }
}
