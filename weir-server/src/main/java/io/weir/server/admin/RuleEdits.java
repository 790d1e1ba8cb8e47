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
import io.weir.rules.text.TextException;
import io.weir.server.web.BadInput;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Route;
import io.weir.server.web.Route.Content;
import io.weir.server.web.Route.Parameter;
import java.util.List;
import java.util.function.Function;

/**
 * The calls that change rules, where these live in a database.
 *
 * <p>A change says which revision it is a change of, so that nobody undoes by accident what
 * somebody else did meanwhile. Only what is new, and what can be taken back by one more call, needs
 * not say it.
 */
final class RuleEdits {
  private final RuleSource rules;
  private final Work work;

  RuleEdits(RuleSource rules, Work work) {
    this.rules = rules;
    this.work = work;
  }

  /** A change as a request asks for it. */
  private record Edit(DatabaseRules rules, String id, String who, Meant meant, Buffer text) {}

  List<Route> routes() {
    return List.of(
        edit(PUT, "/admin/rules", "Makes these all rules there are", this::replace)
            .answering(200, 413, 415, 428),
        edit(PUT, "/admin/rules/{id}", "Makes or replaces a rule", this::put)
            .asking(Parameter.header("If-None-Match"))
            .answering(200, 201, 413, 415, 428),
        edit(DELETE, "/admin/rules/{id}", "Deletes a rule", this::delete).answering(200, 404),
        edit(POST, "/admin/rules/{id}/undo", "Takes the last change of a rule back", this::undo)
            .answering(200, 404));
  }

  private Route edit(
      HttpMethod method, String path, String summary, Function<Edit, Answer> change) {
    Content content = method.equals(PUT) ? RuleCalls.TEXT : Content.NONE;
    return new Route(
        method,
        path,
        summary,
        List.of(Parameter.header("If-Match"), Parameter.header(Asked.WHO)),
        content,
        List.of(409, 503),
        (http, id) -> ask(http, id, content, change));
  }

  private void ask(
      HttpServerRequest http, String id, Content content, Function<Edit, Answer> change) {
    if (!(rules instanceof DatabaseRules database)) {
      elsewhere(rules).send(http.response());
      return;
    }
    try {
      String who = Asked.who(http);
      Meant meant = Meant.by(http);
      Asked.body(
          http, content, work, text -> make(new Edit(database, id, who, meant, text), change));
    } catch (BadInput e) {
      Answer.bad(e).send(http.response());
    }
  }

  private static Answer make(Edit edit, Function<Edit, Answer> change) {
    try {
      return change.apply(edit);
    } catch (StaleRevisionException e) {
      return conflict(edit, e);
    }
  }

  private Answer replace(Edit edit) {
    List<Rule> all = RuleText.all(edit.text().getBytes());
    long revision =
        edit.meant()
            .of(edit.rules().current().revision(), r -> edit.rules().replace(all, edit.who(), r));
    return Answer.ok(
            new JsonFields().number("revision", revision).number("rules", all.size()).end())
        .tagged(revision);
  }

  private Answer put(Edit edit) {
    Rule rule = RuleText.one(edit.text().getBytes(), edit.id());
    boolean[] made = {false};
    long revision =
        edit.meant()
            .of(
                edit.rules().revision(edit.id()),
                r -> {
                  made[0] = r == 0;
                  return edit.rules().put(rule, edit.who(), r);
                });
    return Answer.json(made[0] ? 201 : 200, Rules.toJson(rule)).tagged(revision);
  }

  private Answer delete(Edit edit) {
    long revision =
        edit.meant()
            .orWhatever()
            .of(
                edit.rules().revision(edit.id()),
                r -> edit.rules().delete(edit.id(), edit.who(), r));
    return Answer.ok(
        new JsonFields().text("deleted", edit.id()).number("revision", revision).end());
  }

  private Answer undo(Edit edit) {
    try {
      long revision =
          edit.meant().kind() == Meant.Kind.THIS
              ? edit.rules().undo(edit.id(), edit.who(), edit.meant().revision())
              : edit.rules().undo(edit.id(), edit.who());
      return Answer.ok(state(edit, new JsonFields(), revision));
    } catch (TextException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      return Answer.error(404, "unknown_rule", String.valueOf(e.getMessage()));
    }
  }

  private static Answer conflict(Edit edit, StaleRevisionException e) {
    if (e.current() == 0 && edit.text().length() == 0) {
      return RuleCalls.noSuchRule(edit.id());
    }
    boolean unsaid = e.current() != 0 && !edit.meant().isSaid();
    JsonFields fields = new JsonFields();
    if (unsaid) {
      fields.text("error", "precondition_required");
      fields.text(
          "message",
          "it exists; send If-Match with the ETag of the one you replace, or * for whatever is there");
    } else {
      fields.text("error", "conflict").text("message", e.getMessage());
    }
    return Answer.json(unsaid ? 428 : 409, state(edit, fields, e.current())).tagged(e.current());
  }

  /** What is there now: its revision and, where one rule is meant, that rule. */
  private static String state(Edit edit, JsonFields fields, long revision) {
    fields.number("revision", revision);
    if (!edit.id().isEmpty()) {
      Rule rule = edit.rules().current().rule(edit.id());
      fields.json("rule", rule == null ? "null" : Rules.toJson(rule));
    }
    return fields.end();
  }

  /** Says where rules are changed that are not changed here. */
  static Answer elsewhere(RuleSource rules) {
    String place = rules instanceof FileRules file ? "edit " + file.file() : "edit them there";
    return Answer.error(409, "rules_in_file", "rules live in a file; " + place);
  }
}
