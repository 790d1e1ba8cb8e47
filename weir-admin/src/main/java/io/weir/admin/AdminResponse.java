package io.weir.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.weir.internal.JsonObjectBuilder;
import io.weir.rules.text.ConfigurationProblem;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.web.InvalidInputException;
import io.weir.web.ResponseWriter;
import java.util.List;

/**
 * Response of an admin endpoint.
 *
 * @param revision the revision of the returned resource, sent as {@code ETag}; 0 for none
 */
record AdminResponse(int status, String contentType, String body, long revision) {
  static final String JSON = "application/json";
  static final String YAML = "application/yaml";

  static AdminResponse ok(String json) {
    return json(200, json);
  }

  static AdminResponse json(int status, String json) {
    return new AdminResponse(status, JSON, json, 0);
  }

  /** Creates an error response with a code and a message. */
  static AdminResponse error(int status, String error, String message) {
    return json(
        status, new JsonObjectBuilder().text("error", error).text("message", message).build());
  }

  static AdminResponse badRequest(InvalidInputException e) {
    return error(400, "bad_request", e.reason());
  }

  /** Creates a 400 response that lists all problems of a text with their positions. */
  static AdminResponse invalidText(String error, InvalidConfigurationException e) {
    List<ConfigurationProblem> problems = e.problems();
    return json(
        400,
        new JsonObjectBuilder()
            .text("error", error)
            .text("message", problems.get(0).toString())
            .rawJson("problems", problemsJson(problems))
            .build());
  }

  static String problemsJson(List<ConfigurationProblem> problems) {
    return JsonObjectBuilder.jsonArray(problems.stream().map(AdminResponse::problemJson).toList());
  }

  private static String problemJson(ConfigurationProblem problem) {
    return new JsonObjectBuilder()
        .number("line", problem.line())
        .number("column", problem.column())
        .text("rule", problem.rule())
        .text("field", problem.field())
        .text("reason", problem.reason())
        .build();
  }

  AdminResponse withRevision(long revision) {
    return new AdminResponse(status, contentType, body, revision);
  }

  void send(HttpServerResponse response) {
    if (revision != 0) {
      response.putHeader(HttpHeaders.ETAG, "\"" + revision + "\"");
    }
    ResponseWriter.writeText(response, status, contentType, body);
  }
}
