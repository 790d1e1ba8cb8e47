package io.weir.rules.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What is wrong with one file, collected while it is read. */
public final class Problems {
  /** So that a hostile file cannot fill the memory or the log with what is wrong with it. */
  private static final int MOST = 1000;

  private static final int LONGEST_REASON = 400;
  private static final int LONGEST_VALUE = 60;

  private final String file;
  private final List<Problem> found = new ArrayList<>();
  private boolean full;

  public Problems(String file) {
    this.file = line(file, LONGEST_REASON);
  }

  public void add(Place at, String rule, String field, String reason) {
    full |= found.size() == MOST;
    if (!full) {
      found.add(
          new Problem(
              file,
              at.line(),
              at.column(),
              line(rule, LONGEST_VALUE),
              line(field, LONGEST_VALUE),
              line(reason, LONGEST_REASON)));
    }
  }

  public void add(Place at, String reason) {
    add(at, "", "", reason);
  }

  /** For what leaves nothing more to be read. */
  public TextException fatal(Place at, String reason) {
    add(at, reason);
    return exception();
  }

  public boolean any() {
    return !found.isEmpty();
  }

  public TextException exception() {
    List<Problem> sorted = new ArrayList<>(found);
    sorted.sort(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column));
    if (full) {
      String more = "has more wrong than these " + MOST + "; write these anew first";
      sorted.add(new Problem(file, 0, 0, "", "", more));
    }
    return new TextException(sorted);
  }

  /** A value as it may stand in a reason: quoted, short, in one line. */
  public static String quote(String value) {
    return "'" + line(value, LONGEST_VALUE) + "'";
  }

  private static String line(String text, int longest) {
    StringBuilder line = new StringBuilder();
    text.codePoints()
        .limit(longest)
        .forEach(c -> line.append(isVisible(c) ? Character.toString(c) : "?"));
    return line.append(text.codePointCount(0, text.length()) > longest ? "…" : "").toString();
  }

  private static boolean isVisible(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
