package io.weir.server.web;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;

/**
 * One call of the decision API: what answers it, and what its documentation says.
 *
 * @param path with {@code {id}} where the caller names something
 * @param body the fields of the JSON it takes; none if it takes no body
 * @param statuses the statuses it may answer with, beside 400 for what cannot be read
 */
public record Route(
    HttpMethod method,
    String path,
    String summary,
    List<Field> body,
    List<Integer> statuses,
    Handler handler) {
  private static final String ID = "{id}";

  /** Answers a request; {@code id} is what it names, or empty. */
  @FunctionalInterface
  public interface Handler {
    void handle(HttpServerRequest request, String id);
  }

  /** One field of a body, with the JSON schema of its values. */
  public record Field(String name, boolean required, String schema) {}

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
