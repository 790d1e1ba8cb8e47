package io.weir.internal.glob;

import java.util.List;

/**
 * Divides the patterns of an attribute into inclusions and exclusions, which start with {@code !}.
 */
public final class PatternExclusions {
  private static final String NEGATION = "!";

  private PatternExclusions() {}

  /** Returns the patterns that are not exclusions; {@code **} if all of them are exclusions. */
  public static List<String> inclusions(List<String> patterns) {
    List<String> included = patterns.stream().filter(p -> !p.startsWith(NEGATION)).toList();
    return included.isEmpty() ? List.of("**") : included;
  }

  /** Returns whether any pattern is an exclusion. */
  public static boolean isPresent(List<String> patterns) {
    return patterns.stream().anyMatch(p -> p.startsWith(NEGATION));
  }

  /** Returns the patterns whose values are excluded. */
  public static List<String> exclusions(List<String> patterns) {
    return patterns.stream()
        .filter(p -> p.startsWith(NEGATION))
        .map(PatternExclusions::withoutNegation)
        .toList();
  }

  /** Returns a pattern without the mark of an exclusion. */
  public static String withoutNegation(String pattern) {
    return pattern.startsWith(NEGATION) ? pattern.substring(NEGATION.length()) : pattern;
  }
}
