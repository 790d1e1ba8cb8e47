package io.weir.server.refusals;

import static java.util.Locale.ROOT;

import io.weir.Request;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What may be shown of an endpoint. Callers write it, so only what reads like a word of an API
 * stays ({@code GET /v1/orders/*}): ids, tokens, names of callers and whatever else is a {@code *},
 * and a query is cut off. No line break or quote can pass.
 */
final class Endpoint {
  private static final int LONGEST = 120;
  private static final int LOOKED_AT = 1000;
  private static final int TELLING = 5;
  private static final Pattern PART = Pattern.compile("[^/ ]+");
  private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z._-]{0,23}|v[0-9]{1,3}");
  private static final Set<String> NOT_A_CALLER = Set.of("endpoint", "method", "path", "host");

  private Endpoint() {}

  static String shown(Request request, String endpoint) {
    String start = endpoint.substring(0, Math.min(endpoint.length(), LOOKED_AT));
    String path = start.split("[?#]", 2)[0];
    Map<String, String> attributes = request.attributes();
    attributes.keySet().removeAll(NOT_A_CALLER);
    String words =
        PART.matcher(path)
            .replaceAll(
                part ->
                    Matcher.quoteReplacement(
                        WORD.matcher(part.group()).matches() && !names(part.group(), attributes)
                            ? part.group()
                            : "*"));
    return words.length() <= LONGEST ? words : words.substring(0, LONGEST) + "...";
  }

  /** Whether it gives a caller's value away. */
  private static boolean names(String part, Map<String, String> attributes) {
    String word = part.toLowerCase(ROOT);
    return attributes.values().stream()
        .map(value -> value.toLowerCase(ROOT))
        .anyMatch(v -> v.length() < TELLING ? word.equals(v) : word.contains(v));
  }
}
