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
public record Route(
    HttpMethod method,
    String path,
    String summary,
    List<Parameter> parameters,
    Content content,
    List<Integer> statuses,
    Handler handler) {
  private static final String ID = "{id}";

  /** A call whose body is a JSON object of these fields; none if it takes no body. */
  public Route(
      HttpMethod method,
      String path,
      String summary,
      List<Field> body,
      List<Integer> statuses,
      Handler handler) {
    this(method, path, summary, List.of(), Content.json(body), statuses, handler);
  }

  /** Answers a request; {@code id} is what it names, or empty. */
  @FunctionalInterface
  public interface Handler {
    void handle(HttpServerRequest request, String id);
  }

  /** One field of a body, with the JSON schema of its values. */
  public record Field(String name, boolean required, String schema) {}

  /**
   * A text a request has beside its path and body.
   *
   * @param in {@code query} or {@code header}
   */
  public record Parameter(String in, String name, boolean required) {
    /** What only those have who may call it. */
    public static final Parameter TOKEN = new Parameter("header", "Authorization", true);

    public static Parameter query(String name) {
      return new Parameter("query", name, false);
    }

    public static Parameter header(String name) {
      return new Parameter("header", name, false);
    }
  }

  /**
   * The body of a request.
   *
   * @param types the media types it may have; none if there is no body
   */
  public record Content(List<String> types, String schema) {
    public static final Content NONE = new Content(List.of(), "");

    public static Content json(List<Field> fields) {
      return fields.isEmpty()
          ? NONE
          : new Content(List.of("application/json"), OpenApi.object(fields));
    }
  }

  /** The same call, which looks at these parameters too. */
  public Route asking(Parameter... more) {
    return new Route(
        method,
        path,
        summary,
        Stream.concat(parameters.stream(), Stream.of(more)).toList(),
        content,
        statuses,
        handler);
  }

  /** The same call, which may answer these too. */
  public Route answering(Integer... more) {
    return new Route(
        method,
        path,
        summary,
        parameters,
        content,
        Stream.concat(statuses.stream(), Stream.of(more)).distinct().toList(),
        handler);
  }

  boolean hasId() {
    return path.contains(ID);
  }

  /** What a path names, if it is one of this route's; null if it is not. */
  @org.jspecify.annotations.Nullable
  String idOf(String asked) {
    int at = path.indexOf(ID);
    String before = path.substring(0, at);
    String after = path.substring(at + ID.length());
    boolean fits =
        asked.length() > before.length() + after.length()
            && asked.startsWith(before)
            && asked.endsWith(after);
    String id = fits ? asked.substring(before.length(), asked.length() - after.length()) : "/";
    return id.indexOf('/') < 0 ? id : null;
  }
}
