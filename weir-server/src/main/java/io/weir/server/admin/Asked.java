package io.weir.server.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.web.BadInput;
import io.weir.server.web.Body;
import io.weir.server.web.Route.Content;
import java.util.List;
import java.util.Locale;

/** What requests to the admin door say beside their path. */
final class Asked {
  static final String WHO = "X-Weir-User";
  static final List<String> RULES = List.of(Answer.JSON, Answer.YAML);

  private static final String NOBODY_NAMED = "admin";
  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_SHOWN = 64;
  private static final Body.Bound BOUND = new Body.Bound(1024, 413, "send less at once");

  private Asked() {}

  /** Answers what is asked with a body. */
  @FunctionalInterface
  interface Reader {
    Answer answer(Buffer body) throws Exception;
  }

  /** Has a body answered off the event loop; one of another type is refused here. */
  static void body(HttpServerRequest http, Content content, Work work, Reader reader) {
    if (content.types().isEmpty()) {
      work.answer(http, () -> reader.answer(Buffer.buffer()));
      return;
    }
    String type = http.getHeader(HttpHeaders.CONTENT_TYPE);
    String bare = type == null ? "" : type.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT);
    if (content.types().contains(bare)) {
      Body.read(http, BOUND, body -> work.answer(http, () -> reader.answer(body)));
    } else {
      String types = String.join(" or ", content.types());
      Answer.error(415, "unsupported_type", "send the body with Content-Type: " + types)
          .send(http.response());
    }
  }

  /** Whether somebody would rather have YAML. */
  static boolean wantsYaml(HttpServerRequest http) {
    String accept = http.getHeader(HttpHeaders.ACCEPT);
    return accept != null && accept.toLowerCase(Locale.ROOT).contains(Answer.YAML);
  }

  /** Who is asking, for the history. */
  static String who(HttpServerRequest http) throws BadInput {
    String said = http.getHeader(WHO);
    if (said == null) {
      return NOBODY_NAMED;
    }
    boolean plain = said.chars().allMatch(c -> c >= ' ' && c != 0x7f);
    if (said.isBlank() || said.length() > LONGEST_NAME || !plain) {
      throw new BadInput(WHO + " is no name; send 1 to 200 characters, or leave it out");
    }
    return said.strip();
  }

  /** What somebody sent, as it may stand in a message. */
  static String shown(String sent) {
    return sent.length() > LONGEST_SHOWN ? sent.substring(0, LONGEST_SHOWN) + "…" : sent;
  }
}
