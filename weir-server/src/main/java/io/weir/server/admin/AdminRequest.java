package io.weir.server.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.web.ApiRoute.RequestContent;
import io.weir.server.web.BoundedBodyReader;
import io.weir.server.web.InvalidInputException;
import java.util.List;
import java.util.Locale;

/** What requests to the admin door say beside their path. */
final class AdminRequest {
  static final String ACTOR_HEADER = "X-Weir-User";
  static final List<String> RULE_CONTENT_TYPES = List.of(AdminResponse.JSON, AdminResponse.YAML);

  private static final String DEFAULT_ACTOR = "admin";
  private static final int MAX_ACTOR_LENGTH = 200;
  private static final int MAX_QUOTED_LENGTH = 64;
  private static final BoundedBodyReader.BodyLimit BODY_LIMIT =
      new BoundedBodyReader.BodyLimit(1024, 413, "send less at once");

  private AdminRequest() {}

  /** Answers what is asked with a body. */
  @FunctionalInterface
  interface AdminBodyHandler {
    AdminResponse handle(Buffer body) throws Exception;
  }

  /** Has a body answered off the event loop; one of another type is refused here. */
  static void readBody(
      HttpServerRequest http,
      RequestContent content,
      AdminWorkerPool work,
      AdminBodyHandler reader) {
    if (content.types().isEmpty()) {
      work.respond(http, () -> reader.handle(Buffer.buffer()));
      return;
    }
    String type = http.getHeader(HttpHeaders.CONTENT_TYPE);
    String bare = type == null ? "" : type.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT);
    if (content.types().contains(bare)) {
      BoundedBodyReader.read(
          http, BODY_LIMIT, body -> work.respond(http, () -> reader.handle(body)));
    } else {
      String types = String.join(" or ", content.types());
      AdminResponse.error(415, "unsupported_type", "send the body with Content-Type: " + types)
          .send(http.response());
    }
  }

  /** Whether somebody would rather have YAML. */
  static boolean prefersYaml(HttpServerRequest http) {
    String accept = http.getHeader(HttpHeaders.ACCEPT);
    return accept != null && accept.toLowerCase(Locale.ROOT).contains(AdminResponse.YAML);
  }

  /** Who is asking, for the history. */
  static String actor(HttpServerRequest http) throws InvalidInputException {
    String said = http.getHeader(ACTOR_HEADER);
    if (said == null) {
      return DEFAULT_ACTOR;
    }
    boolean plain = said.chars().allMatch(c -> c >= ' ' && c != 0x7f);
    if (said.isBlank() || said.length() > MAX_ACTOR_LENGTH || !plain) {
      throw new InvalidInputException(
          ACTOR_HEADER + " is no name; send 1 to 200 characters, or leave it out");
    }
    return said.strip();
  }

  /** What somebody sent, as it may stand in a message. */
  static String truncate(String sent) {
    return sent.length() > MAX_QUOTED_LENGTH ? sent.substring(0, MAX_QUOTED_LENGTH) + "…" : sent;
  }
}
