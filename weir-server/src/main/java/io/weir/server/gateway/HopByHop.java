package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.List;

/** The header fields that speak of one connection only, and end there (RFC 9110, 7.6.1). */
final class HopByHop {
  static final Names ALWAYS =
      Names.of(
          "Connection",
          "Keep-Alive",
          "Proxy-Connection",
          "Proxy-Authenticate",
          "Proxy-Authorization",
          "TE",
          "Transfer-Encoding",
          "Upgrade",
          "HTTP2-Settings");

  private static final Names NONE = Names.of();

  private HopByHop() {}

  /** Those that a message's own {@code Connection} field adds. */
  static Names namedBy(MultiMap fields) {
    if (!fields.contains(HttpHeaders.CONNECTION)) {
      return NONE;
    }
    List<String> lines = fields.getAll(HttpHeaders.CONNECTION);
    String first = lines.get(0);
    boolean usual = first.equalsIgnoreCase("keep-alive") || first.equalsIgnoreCase("close");
    if (lines.size() == 1 && usual) {
      return NONE;
    }
    String[] tokens = String.join(",", lines).split(",", -1);
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = tokens[i].strip();
    }
    return Names.of(tokens);
  }

  /** Whether a message's {@code Connection} or {@code TE} field has an element. */
  static boolean lists(MultiMap fields, CharSequence field, String element) {
    for (String line : fields.getAll(field)) {
      for (String one : line.split(",", -1)) {
        if (one.strip().equalsIgnoreCase(element)) {
          return true;
        }
      }
    }
    return false;
  }
}
