package io.weir.admin;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.internal.JsonObjectBuilder;
import io.weir.rule.Rule;
import io.weir.rule.RuleSource;
import io.weir.rules.FileRules;
import io.weir.rules.Rules;
import io.weir.rules.database.EditableRules;
import io.weir.rules.database.StaleRevisionException;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.web.ApiRoute;
import io.weir.web.ApiRoute.RequestContent;
import io.weir.web.ApiRoute.RouteParameter;
import io.weir.web.InvalidInputException;
import java.util.List;
import java.util.function.Function;

/**
 * Endpoints that change rules stored in a database.
 *
 * <p>A change names the revision it applies to (optimistic locking), so that it cannot overwrite a
 * concurrent change. The revision is optional only for new rules and for changes that one undo
 * reverts.
 */
final class RuleEditEndpoints {
  private final RuleSource rules;
  private final AdminWorkerPool workers;

  RuleEditEndpoints(RuleSource rules, AdminWorkerPool workers) {
    this.rules = rules;
    this.workers = workers;
  }

  /** A requested change. */
  private record RuleEdit(
      EditableRules rules, String id, String actor, Precondition precondition, Buffer body) {}

  List<ApiRoute> routes() {
    return List.of(
        route(PUT, "/admin/rules", "Replaces all rules", this::replace)
            .withStatuses(200, 413, 415, 428),
        route(PUT, "/admin/rules/{id}", "Creates or replaces a rule", this::put)
            .withParameters(RouteParameter.header("If-None-Match"))
            .withStatuses(200, 201, 413, 415, 428),
        route(DELETE, "/admin/rules/{id}", "Deletes a rule", this::delete).withStatuses(200, 404),
        route(POST, "/admin/rules/{id}/undo", "Undoes the last change of a rule", this::undo)
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
    EditableRules database = EditableRules.of(rules).orElse(null);
    if (database == null) {
      rulesInFile(rules).send(http.response());
      return;
    }
    try {
      String actor = AdminRequest.actor(http);
      Precondition precondition = Precondition.from(http);
      AdminRequest.readBody(
          http,
          content,
          workers,
          body -> apply(new RuleEdit(database, id, actor, precondition, body), change));
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
                edit.rules().current().revision(),
                expected -> edit.rules().replace(all, edit.actor(), expected));
    return AdminResponse.ok(
            new JsonObjectBuilder()
                .number("revision", revision)
                .number("rules", all.size())
                .build())
        .withRevision(revision);
  }

  private AdminResponse put(RuleEdit edit) {
    Rule rule = RuleRequestBody.readNamed(edit.body().getBytes(), edit.id());
    boolean[] created = {false};
    long revision =
        edit.precondition()
            .apply(
                edit.rules().revision(edit.id()),
                expected -> {
                  created[0] = expected == 0;
                  return edit.rules().put(rule, edit.actor(), expected);
                });
    return AdminResponse.json(created[0] ? 201 : 200, Rules.toJson(rule)).withRevision(revision);
  }

  private AdminResponse delete(RuleEdit edit) {
    long revision =
        edit.precondition()
            .orAny()
            .apply(
                edit.rules().revision(edit.id()),
                expected -> edit.rules().delete(edit.id(), edit.actor(), expected));
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
    boolean preconditionMissing = e.currentRevision() != 0 && !edit.precondition().isPresent();
    JsonObjectBuilder fields = new JsonObjectBuilder();
    if (preconditionMissing) {
      fields.text("error", "precondition_required");
      fields.text(
          "message",
          "it exists; send If-Match with the ETag of the revision you replace, or * for any revision");
    } else {
      fields.text("error", "conflict").text("message", e.getMessage());
    }
    return AdminResponse.json(
            preconditionMissing ? 428 : 409, stateJson(edit, fields, e.currentRevision()))
        .withRevision(e.currentRevision());
  }

  /** Returns the current revision and, for a change of one rule, the current rule. */
  private static String stateJson(RuleEdit edit, JsonObjectBuilder fields, long revision) {
    fields.number("revision", revision);
    if (!edit.id().isEmpty()) {
      Rule rule = edit.rules().current().rule(edit.id());
      fields.rawJson("rule", rule == null ? "null" : Rules.toJson(rule));
    }
    return fields.build();
  }

  /** Responds that rules of a file cannot be changed over the API. */
  static AdminResponse rulesInFile(RuleSource rules) {
    String advice = rules instanceof FileRules file ? "edit " + file.file() : "edit that file";
    return AdminResponse.error(409, "rules_in_file", "rules are stored in a file; " + advice);
  }
}
