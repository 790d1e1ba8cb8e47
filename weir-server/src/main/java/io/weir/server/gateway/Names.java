package io.weir.server.gateway;

import java.util.Arrays;

/**
 * A set of names of header fields, without regard to case.
 *
 * <p>{@code X_Forwarded_For} is {@code X-Forwarded-For} here, for upstreams that put fields into
 * variables cannot tell them apart. Immutable.
 */
final class Names {
  private static final int LONGEST = 32;

  private final String[][] byLength = new String[LONGEST][0];

  private Names() {}

  static Names of(String... names) {
    return new Names().and(names);
  }

  /** These and those. */
  Names and(Names others) {
    Names both = new Names();
    for (int i = 0; i < LONGEST; i++) {
      both.byLength[i] = byLength[i];
    }
    for (String[] names : others.byLength) {
      both.and(names);
    }
    return both;
  }

  private Names and(String... names) {
    for (String name : names) {
      int length = Math.min(name.length(), LONGEST - 1);
      String[] same = byLength[length];
      String[] more = Arrays.copyOf(same, same.length + 1);
      more[same.length] = name;
      byLength[length] = more;
    }
    return this;
  }

  boolean has(String name) {
    for (String one : byLength[Math.min(name.length(), LONGEST - 1)]) {
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
