package io.weir.server.cli;

import io.weir.rule.Durations;
import java.time.Duration;

/** How things are said on a terminal. */
final class TerminalText {
  private static final long MAX_EXACT_MILLIS = 10_000;
  private static final int MAX_LENGTH = 400;

  private TerminalText() {}

  /** A time, to the millisecond while it is short, else in whole seconds, rounded up. */
  static String formatMillis(long millis) {
    long shown = millis < MAX_EXACT_MILLIS ? millis : (millis + 999) / 1000 * 1000;
    return Durations.format(Duration.ofMillis(shown));
  }

  /** {@code 1 rule}, {@code 2 rules}. */
  static String countOf(long count, String one) {
    return count + " " + one + (count == 1 ? "" : "s");
  }

  /** What others wrote, in one line and without anything a terminal would obey. */
  static String sanitize(String text) {
    StringBuilder line = new StringBuilder();
    text.strip()
        .codePoints()
        .limit(MAX_LENGTH)
        .forEach(c -> line.appendCodePoint(isControl(c) ? ' ' : c));
    return line.toString();
  }

  private static boolean isControl(int c) {
    int type = Character.getType(c);
    return type == Character.CONTROL
        || type == Character.FORMAT
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR
        || type == Character.SURROGATE;
  }
}
