package io.weir.gateway;

import java.util.Arrays;
import java.util.stream.Stream;

/**
 * A case-insensitive set of header field names. Immutable.
 *
 * <p>{@code X_Forwarded_For} equals {@code X-Forwarded-For} here, since upstreams that turn header
 * fields into variables (CGI) cannot distinguish them.
 */
final class HeaderNames {
  private static final int LENGTH_SLOTS = 32;
  private static final String[] EMPTY = {};

  private final String[][] byLength;

  private HeaderNames(String[][] byLength) {
    this.byLength = byLength;
  }

  static HeaderNames of(String... names) {
    int[] counts = new int[LENGTH_SLOTS];
    for (String name : names) {
      counts[slot(name)]++;
    }
    String[][] byLength = new String[LENGTH_SLOTS][];
    for (int i = 0; i < LENGTH_SLOTS; i++) {
      byLength[i] = counts[i] == 0 ? EMPTY : new String[counts[i]];
    }
    for (String name : names) {
      int slot = slot(name);
      byLength[slot][--counts[slot]] = name;
    }
    return new HeaderNames(byLength);
  }

  /** Returns the union of two sets. */
  HeaderNames union(HeaderNames others) {
    return of(
        Stream.of(byLength, others.byLength)
            .flatMap(Arrays::stream)
            .flatMap(Arrays::stream)
            .toArray(String[]::new));
  }

  private static int slot(String name) {
    return Math.min(name.length(), LENGTH_SLOTS - 1);
  }

  boolean contains(String name) {
    for (String candidate : byLength[slot(name)]) {
      if (name.length() == candidate.length() && startsWith(name, candidate)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a name starts with a prefix, by the same comparison. */
  static boolean startsWith(String name, String prefix) {
    if (name.length() < prefix.length()) {
      return false;
    }
    for (int i = 0; i < prefix.length(); i++) {
      if (folded(name.charAt(i)) != folded(prefix.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static int folded(char c) {
    return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  }
}
