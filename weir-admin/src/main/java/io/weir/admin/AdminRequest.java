package io.weir.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.web.ApiRoute.RequestContent;
import io.weir.web.BoundedBodyReader;
import io.weir.web.InvalidInputException;
import java.util.List;
import java.util.Locale;

/** Reads headers and bodies of admin requests. */
final class AdminRequest {
  static final String ACTOR_HEADER = "X-Weir-User";
  static final List<String> RULE_CONTENT_TYPES = List.of(AdminResponse.JSON, AdminResponse.YAML);

  private static final String DEFAULT_ACTOR = "admin";
  private static final int MAX_ACTOR_LENGTH = 200;
  private static final int MAX_QUOTED_LENGTH = 64;
  private static final BoundedBodyReader.BodyLimit BODY_LIMIT =
      new BoundedBodyReader.BodyLimit(1024, 413, "send less at once");

  private AdminRequest() {}

  /** Handles a request with its body. */
  @FunctionalInterface
  interface AdminBodyHandler {
    AdminResponse handle(Buffer body) throws Exception;
  }

  /**
   * Reads the body and handles the request on a worker thread. Responds with 415 if the body has
   * another content type.
   */
  static void readBody(
      HttpServerRequest http,
      RequestContent content,
      AdminWorkerPool workers,
      AdminBodyHandler handler) {
    if (content.types().isEmpty()) {
      workers.respond(http, () -> handler.handle(Buffer.buffer()));
      return;
    }
    String contentType = http.getHeader(HttpHeaders.CONTENT_TYPE);
    String mediaType =
        contentType == null
            ? ""
            : contentType.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT);
    if (content.types().contains(mediaType)) {
      BoundedBodyReader.read(
          http, BODY_LIMIT, body -> workers.respond(http, () -> handler.handle(body)));
    } else {
      String types = String.join(" or ", content.types());
      AdminResponse.error(415, "unsupported_type", "send the body with Content-Type: " + types)
          .send(http.response());
    }
  }

  /** Returns whether the client accepts YAML. */
  static boolean prefersYaml(HttpServerRequest http) {
    String accept = http.getHeader(HttpHeaders.ACCEPT);
    return accept != null && accept.toLowerCase(Locale.ROOT).contains(AdminResponse.YAML);
  }

  /** Returns the user named by {@code X-Weir-User}, for the change history. */
  static String actor(HttpServerRequest http) throws InvalidInputException {
    String name = http.getHeader(ACTOR_HEADER);
    if (name == null) {
      return DEFAULT_ACTOR;
    }
    boolean printable = name.chars().allMatch(c -> c >= ' ' && c != 0x7f);
    if (name.isBlank() || name.length() > MAX_ACTOR_LENGTH || !printable) {
      throw new InvalidInputException(
          ACTOR_HEADER + " must have 1 to 200 printable characters; leave it out for 'admin'");
    }
    return name.strip();
  }

  /** Shortens a value from a request for use in a message. */
  static String truncate(String value) {
    return value.length() > MAX_QUOTED_LENGTH ? value.substring(0, MAX_QUOTED_LENGTH) + "…" : value;
  }
}
