package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.ArrayList;
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

  /**
   * The most options a caller's {@code Connection} field may have. Every other field is compared
   * with them, so a request of 16 KiB with 4,000 options and 2,000 fields would cost 8 million
   * comparisons. Real clients send one or two.
   */
  static final int MAX_OPTIONS = 64;

  private static final Names NONE = Names.of();

  private HopByHop() {}

  /** Those that a message's own {@code Connection} field adds. */
  static Names namedBy(MultiMap fields) {
    if (!fields.contains(HttpHeaders.CONNECTION)) {
      return NONE;
    }
    List<String> names = List.of();
    for (String line : fields.getAll(HttpHeaders.CONNECTION)) {
      for (ListElements option = new ListElements(line); option.advance(); ) {
        if (!option.is("keep-alive") && !option.is("close") && !option.is("upgrade")) {
          names = names.isEmpty() ? new ArrayList<>() : names;
          names.add(option.text());
        }
      }
    }
    return names.isEmpty() ? NONE : Names.of(names.toArray(new String[0]));
  }

  /** Whether a message's {@code Connection} field has more options than a caller may send. */
  static boolean namesTooMany(MultiMap fields) {
    if (!fields.contains(HttpHeaders.CONNECTION)) {
      return false;
    }
    int options = 0;
    for (String line : fields.getAll(HttpHeaders.CONNECTION)) {
      for (ListElements option = new ListElements(line); option.advance(); ) {
        options++;
      }
    }
    return options > MAX_OPTIONS;
  }

  /** Whether a message's {@code Connection} or {@code TE} field has an element. */
  static boolean lists(MultiMap fields, CharSequence field, String element) {
    for (String line : fields.getAll(field)) {
      for (ListElements one = new ListElements(line); one.advance(); ) {
        if (one.is(element)) {
          return true;
        }
      }
    }
    return false;
  }
}
