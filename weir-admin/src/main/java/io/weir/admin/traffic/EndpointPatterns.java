package io.weir.admin.traffic;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Turns endpoints into patterns: path segments that look like ids become {@code *}. */
final class EndpointPatterns {
  private static final Pattern ID_SEGMENT =
      Pattern.compile(
          "[0-9]+|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|(?=.*[0-9])[0-9a-zA-Z_-]{16,}|[0-9a-f]{12,}");
  private static final int MAX_LENGTH = 200;

  private EndpointPatterns() {}

  /** Returns the pattern of an endpoint, such as {@code GET /v1/orders/7}. */
  static String pattern(String endpoint) {
    String cut =
        endpoint.length() <= MAX_LENGTH ? endpoint : endpoint.substring(0, MAX_LENGTH) + "*";
    List<String> segments = new ArrayList<>();
    for (String segment : cut.split("/", -1)) {
      segments.add(ID_SEGMENT.matcher(segment).matches() ? "*" : segment);
    }
    return String.join("/", segments);
  }
}
