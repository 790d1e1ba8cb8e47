package io.weir.server.traffic;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Paths as people would limit them: what looks like an id is any segment. */
final class Endpoints {
  private static final Pattern ID =
      Pattern.compile(
          "[0-9]+|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|(?=.*[0-9])[0-9a-zA-Z_-]{16,}|[0-9a-f]{12,}");
  private static final int LONGEST = 200;

  private Endpoints() {}

  /** The pattern of an endpoint such as {@code GET /v1/orders/7}. */
  static String pattern(String endpoint) {
    String cut = endpoint.length() <= LONGEST ? endpoint : endpoint.substring(0, LONGEST) + "*";
    List<String> segments = new ArrayList<>();
    for (String segment : cut.split("/", -1)) {
      segments.add(ID.matcher(segment).matches() ? "*" : segment);
    }
    return String.join("/", segments);
  }
}
