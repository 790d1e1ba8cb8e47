package io.weir.server.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.weir.rules.text.Problem;
import io.weir.rules.text.TextException;
import io.weir.server.web.BadInput;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Reply;
import java.util.List;

/**
 * What a call answers.
 *
 * @param tag the revision of what is shown, as {@code ETag}; 0 for none
 */
record Answer(int status, String type, String body, long tag) {
  static final String JSON = "application/json";
  static final String YAML = "application/yaml";

  static Answer ok(String json) {
    return json(200, json);
  }

  static Answer json(int status, String json) {
    return new Answer(status, JSON, json, 0);
  }

  /** Says what was wrong and what to do instead. */
  static Answer error(int status, String error, String message) {
    return json(status, new JsonFields().text("error", error).text("message", message).end());
  }

  static Answer bad(BadInput e) {
    return error(400, "bad_request", e.reason());
  }

  /** Says everything that is wrong with a text, and where. */
  static Answer wrong(String error, TextException e) {
    List<Problem> problems = e.problems();
    return json(
        400,
        new JsonFields()
            .text("error", error)
            .text("message", problems.get(0).toString())
            .json("problems", problems(problems))
            .end());
  }

  static String problems(List<Problem> problems) {
    return JsonFields.array(problems.stream().map(Answer::problem).toList());
  }

  private static String problem(Problem problem) {
    return new JsonFields()
        .number("line", problem.line())
        .number("column", problem.column())
        .text("rule", problem.rule())
        .text("field", problem.field())
        .text("reason", problem.reason())
        .end();
  }

  Answer tagged(long revision) {
    return new Answer(status, type, body, revision);
  }

  void send(HttpServerResponse response) {
    if (tag != 0) {
      response.putHeader(HttpHeaders.ETAG, "\"" + tag + "\"");
    }
    Reply.text(response, status, type, body);
  }
}
