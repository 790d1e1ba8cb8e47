package io.weir.server.web;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.stream.Stream;

/**
 * One call of an HTTP door: what answers it, and what its documentation says.
 *
 * @param path with {@code {id}} where the caller names something
 * @param parameters what else of a request is looked at
 * @param content the body it takes
 * @param statuses the statuses it may answer with, beside 400 for what cannot be read
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

  /** A call whose body is a JSON object of these fields; none if it takes no body. */
  public ApiRoute(
      HttpMethod method,
      String path,
      String summary,
      List<BodyField> body,
      List<Integer> statuses,
      RouteHandler handler) {
    this(method, path, summary, List.of(), RequestContent.json(body), statuses, handler);
  }

  /** Answers a request; {@code id} is what it names, or empty. */
  @FunctionalInterface
  public interface RouteHandler {
    void handle(HttpServerRequest request, String id);
  }

  /** One field of a body, with the JSON schema of its values. */
  public record BodyField(String name, boolean required, String schema) {}

  /**
   * A text a request has beside its path and body.
   *
   * @param in {@code query} or {@code header}
   */
  public record RouteParameter(String in, String name, boolean required) {
    /** What only those have who may call it. */
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
   * @param types the media types it may have; none if there is no body
   */
  public record RequestContent(List<String> types, String schema) {
    public static final RequestContent NONE = new RequestContent(List.of(), "");

    public static RequestContent json(List<BodyField> fields) {
      return fields.isEmpty()
          ? NONE
          : new RequestContent(List.of("application/json"), OpenApi.objectSchema(fields));
    }
  }

  /** The same call, which looks at these parameters too. */
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

  /** The same call, which may answer these too. */
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

  /** What a path names, if it is one of this route's; null if it is not. */
  @org.jspecify.annotations.Nullable
  String extractId(String asked) {
    int at = path.indexOf(ID_PLACEHOLDER);
    String before = path.substring(0, at);
    String after = path.substring(at + ID_PLACEHOLDER.length());
    boolean fits =
        asked.length() > before.length() + after.length()
            && asked.startsWith(before)
            && asked.endsWith(after);
    String id = fits ? asked.substring(before.length(), asked.length() - after.length()) : "/";
    return id.indexOf('/') < 0 ? id : null;
  }
}
