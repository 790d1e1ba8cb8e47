package io.weir.server.refusals;

import static java.util.Locale.ROOT;

import io.weir.Request;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Redacts endpoints for the log. An endpoint comes from the caller, so only segments that look like
 * API words are kept ({@code GET /v1/orders/*}). Ids, tokens, caller names and everything else
 * become {@code *}, and the query is removed. Line breaks and quotes never pass.
 */
final class EndpointRedactor {
  private static final int MAX_LENGTH = 120;
  private static final int MAX_INSPECTED_LENGTH = 1000;
  private static final int MIN_SUBSTRING_LENGTH = 5;
  private static final Pattern SEGMENT = Pattern.compile("[^/ ]+");
  private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z._-]{0,23}|v[0-9]{1,3}");
  private static final Set<String> ENDPOINT_ATTRIBUTES =
      Set.of("endpoint", "method", "path", "host");

  private EndpointRedactor() {}

  static String redact(Request request, String endpoint) {
    String inspected = endpoint.substring(0, Math.min(endpoint.length(), MAX_INSPECTED_LENGTH));
    String path = inspected.split("[?#]", 2)[0];
    Map<String, String> attributes = request.attributes();
    attributes.keySet().removeAll(ENDPOINT_ATTRIBUTES);
    String redacted =
        SEGMENT
            .matcher(path)
            .replaceAll(
                part ->
                    Matcher.quoteReplacement(
                        WORD.matcher(part.group()).matches()
                                && !revealsCaller(part.group(), attributes)
                            ? part.group()
                            : "*"));
    return redacted.length() <= MAX_LENGTH ? redacted : redacted.substring(0, MAX_LENGTH) + "...";
  }

  /** Returns whether a segment contains an attribute value of the caller. */
  private static boolean revealsCaller(String part, Map<String, String> attributes) {
    String word = part.toLowerCase(ROOT);
    return attributes.values().stream()
        .map(value -> value.toLowerCase(ROOT))
        .anyMatch(v -> v.length() < MIN_SUBSTRING_LENGTH ? word.equals(v) : word.contains(v));
  }
}
