package io.weir.web;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.stream.Stream;

/**
 * One operation of an HTTP API: its handler and its OpenAPI description.
 *
 * @param path the path, with {@code {id}} as placeholder for an identifier
 * @param parameters the query parameters and headers that are read
 * @param content the request body it accepts
 * @param statuses the statuses of its responses, besides 400 for a malformed request
 */
public record ApiRoute(
    HttpMethod method,
    String path,
    String summary,
    List<RouteParameter> parameters,
    RequestContent content,
    List<Integer> statuses,
    RouteHandler handler) {
  private static final String ID_PLACEHOLDER = "{id}";

  /** Creates a route whose body is a JSON object of these fields; an empty list means no body. */
  public ApiRoute(
      HttpMethod method,
      String path,
      String summary,
      List<BodyField> body,
      List<Integer> statuses,
      RouteHandler handler) {
    this(method, path, summary, List.of(), RequestContent.json(body), statuses, handler);
  }

  /** Handles a request; {@code id} is the value of the path's placeholder, or empty. */
  @FunctionalInterface
  public interface RouteHandler {
    void handle(HttpServerRequest request, String id);
  }

  /** One field of a JSON body, with the JSON schema of its values. */
  public record BodyField(String name, boolean required, String schema) {}

  /**
   * A query parameter or header of a request.
   *
   * @param in {@code query} or {@code header}
   */
  public record RouteParameter(String in, String name, boolean required) {
    /** The admin token in the {@code Authorization} header. */
    public static final RouteParameter ADMIN_TOKEN =
        new RouteParameter("header", "Authorization", true);

    public static RouteParameter query(String name) {
      return new RouteParameter("query", name, false);
    }

    public static RouteParameter header(String name) {
      return new RouteParameter("header", name, false);
    }
  }

  /**
   * The body of a request.
   *
   * @param types the accepted media types; empty if there is no body
   */
  public record RequestContent(List<String> types, String schema) {
    public static final RequestContent NONE = new RequestContent(List.of(), "");

    public static RequestContent json(List<BodyField> fields) {
      return fields.isEmpty()
          ? NONE
          : new RequestContent(List.of("application/json"), OpenApi.objectSchema(fields));
    }
  }

  /** Returns a copy that reads these parameters too. */
  public ApiRoute withParameters(RouteParameter... more) {
    return new ApiRoute(
        method,
        path,
        summary,
        Stream.concat(parameters.stream(), Stream.of(more)).toList(),
        content,
        statuses,
        handler);
  }

  /** Returns a copy that may respond with these statuses too. */
  public ApiRoute withStatuses(Integer... more) {
    return new ApiRoute(
        method,
        path,
        summary,
        parameters,
        content,
        Stream.concat(statuses.stream(), Stream.of(more)).distinct().toList(),
        handler);
  }

  boolean hasId() {
    return path.contains(ID_PLACEHOLDER);
  }

  /** Returns the id in a path that matches this route; null if it does not match. */
  @org.jspecify.annotations.Nullable
  String extractId(String requestPath) {
    int at = path.indexOf(ID_PLACEHOLDER);
    String before = path.substring(0, at);
    String after = path.substring(at + ID_PLACEHOLDER.length());
    boolean isMatch =
        requestPath.length() > before.length() + after.length()
            && requestPath.startsWith(before)
            && requestPath.endsWith(after);
    String id =
        isMatch
            ? requestPath.substring(before.length(), requestPath.length() - after.length())
            : "/";
    return id.indexOf('/') < 0 ? id : null;
  }
}
