package io.weir.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;

/** Header fields that apply to a single connection and are not forwarded (RFC 9110, 7.6.1). */
final class HopByHopHeaders {
  static final HeaderNames STANDARD =
      HeaderNames.of(
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
   * The maximum number of options in a caller's {@code Connection} field. Every other field is
   * compared with them, so a request of 16 KiB with 4,000 options and 2,000 fields would cost 8
   * million comparisons. Real clients send one or two.
   */
  static final int MAX_CONNECTION_OPTIONS = 64;

  private static final HeaderNames NONE = HeaderNames.of();

  private HopByHopHeaders() {}

  /** The additional fields that the {@code Connection} field of a message names. */
  static HeaderNames namedByConnection(MultiMap fields) {
    if (!fields.contains(HttpHeaders.CONNECTION)) {
      return NONE;
    }
    List<String> names = List.of();
    for (String line : fields.getAll(HttpHeaders.CONNECTION)) {
      for (HeaderListIterator option = new HeaderListIterator(line); option.advance(); ) {
        if (!option.equalsIgnoreCase("keep-alive")
            && !option.equalsIgnoreCase("close")
            && !option.equalsIgnoreCase("upgrade")) {
          names = names.isEmpty() ? new ArrayList<>() : names;
          names.add(option.text());
        }
      }
    }
    return names.isEmpty() ? NONE : HeaderNames.of(names.toArray(new String[0]));
  }

  /** Whether the {@code Connection} field has more than {@link #MAX_CONNECTION_OPTIONS} options. */
  static boolean hasTooManyConnectionOptions(MultiMap fields) {
    if (!fields.contains(HttpHeaders.CONNECTION)) {
      return false;
    }
    int options = 0;
    for (String line : fields.getAll(HttpHeaders.CONNECTION)) {
      for (HeaderListIterator option = new HeaderListIterator(line); option.advance(); ) {
        options++;
      }
    }
    return options > MAX_CONNECTION_OPTIONS;
  }

  /** Whether a comma-separated field such as {@code Connection} or {@code TE} has an element. */
  static boolean hasElement(MultiMap fields, CharSequence field, String element) {
    for (String line : fields.getAll(field)) {
      for (HeaderListIterator elements = new HeaderListIterator(line); elements.advance(); ) {
        if (elements.equalsIgnoreCase(element)) {
          return true;
        }
      }
    }
    return false;
  }
}
