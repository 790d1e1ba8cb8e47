package io.weir.rules.text;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Suggests the known name that is most similar to a misspelled one. */
public final class NameSuggestion {
  private static final int MAX_EDIT_DISTANCE = 2;
  private static final int MIN_PREFIX_LENGTH = 3;
  private static final int MAX_NAME_LENGTH = 64;

  private NameSuggestion() {}

  /** Returns the known name that is most similar to a given one, if any is similar. */
  public static Optional<String> closest(String name, Collection<String> known) {
    if (known.contains(name)) {
      return Optional.of(name);
    }
    String plain = normalized(name);
    if (plain.length() > MAX_NAME_LENGTH) {
      return Optional.empty();
    }
    String best = null;
    int least = Integer.MAX_VALUE;
    for (String candidate : known) {
      int distance = editDistance(plain, normalized(candidate));
      if (distance < least && isSimilar(plain, normalized(candidate), distance)) {
        least = distance;
        best = candidate;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Returns advice for an unknown name: a suggestion, if any is similar, and the known names. */
  public static String hint(String unknown, Collection<String> known) {
    return closest(unknown, known)
            .map(name -> "did you mean " + name + "? Must be")
            .orElse("must be")
        + (known.size() == 1 ? " " : " one of ")
        + String.join(", ", known);
  }

  private static boolean isSimilar(String a, String b, int distance) {
    boolean prefix = b.startsWith(a) || a.startsWith(b);
    return (distance <= MAX_EDIT_DISTANCE && 2 * distance <= a.length())
        || (prefix && Math.min(a.length(), b.length()) >= MIN_PREFIX_LENGTH);
  }

  /** Normalizes case and word separators, which do not distinguish names. */
  private static String normalized(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[-_. ]", "");
  }

  /** Returns the Damerau-Levenshtein distance (optimal string alignment) of two names. */
  private static int editDistance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        d[i][j] = Math.min(replaced, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
