package io.weir.server.gateway;

import java.util.Arrays;
import java.util.stream.Stream;

/**
 * A set of names of header fields, without regard to case.
 *
 * <p>{@code X_Forwarded_For} is {@code X-Forwarded-For} here, for upstreams that put fields into
 * variables cannot tell them apart. Immutable.
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

  /** These and those. */
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
    for (String one : byLength[slot(name)]) {
      if (name.length() == one.length() && startsWith(name, one)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a name begins as another, by the same measure. */
  static boolean startsWith(String name, String begin) {
    if (name.length() < begin.length()) {
      return false;
    }
    for (int i = 0; i < begin.length(); i++) {
      if (folded(name.charAt(i)) != folded(begin.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static int folded(char c) {
    return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  }
}
