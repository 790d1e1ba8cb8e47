package io.weir.rule;

import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/**
 * A set of HTTP response statuses, written as numbers and classes such as {@code 5xx}. Immutable.
 */
final class StatusSet {
  static final StatusSet EMPTY = new StatusSet(List.of());
  private static final int MIN_STATUS = 100;
  private static final int MAX_STATUS = 599;

  private final List<String> patterns;
  private final BitSet statuses = new BitSet();

  private StatusSet(List<String> patterns) {
    this.patterns = patterns.stream().map(pattern -> pattern.toLowerCase(Locale.ROOT)).toList();
    this.patterns.forEach(this::add);
  }

  /**
   * Creates a set.
   *
   * @param patterns statuses such as {@code 401} and classes such as {@code 5xx}
   * @throws IllegalArgumentException if there are none, or one is neither a status nor a class
   */
  static StatusSet of(List<String> patterns) {
    if (patterns.isEmpty()) {
      throw new IllegalArgumentException(
          "must name at least one status (was none), for example [401, 403]");
    }
    return new StatusSet(patterns);
  }

  private void add(String pattern) {
    if (pattern.matches("[1-5]xx")) {
      int first = (pattern.charAt(0) - '0') * 100;
      statuses.set(first, first + 100);
      return;
    }
    int status = pattern.matches("[0-9]{3}") ? Integer.parseInt(pattern) : 0;
    if (status < MIN_STATUS || status > MAX_STATUS) {
      throw new IllegalArgumentException(
          "status must be between 100 and 599 or a class (was "
              + pattern
              + "), for example 401 or \"5xx\"");
    }
    statuses.set(status);
  }

  boolean isEmpty() {
    return patterns.isEmpty();
  }

  boolean contains(int status) {
    return status >= 0 && statuses.get(status);
  }

  List<String> patterns() {
    return patterns;
  }
}
