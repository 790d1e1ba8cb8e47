package io.weir.cli;

import io.weir.internal.Durations;
import java.time.Duration;

/** Formats durations, counts and untrusted text for a terminal. */
final class TerminalText {
  private static final long MAX_EXACT_MILLIS = 10_000;
  private static final int MAX_LENGTH = 400;

  private TerminalText() {}

  /** Formats a duration: below ten seconds to the millisecond, else in seconds, rounded up. */
  static String formatMillis(long millis) {
    long shown = millis < MAX_EXACT_MILLIS ? millis : (millis + 999) / 1000 * 1000;
    return Durations.format(Duration.ofMillis(shown));
  }

  /** Formats a count with its noun: {@code 1 rule}, {@code 2 rules}. */
  static String countOf(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  /** Returns untrusted text in one line, without characters that control a terminal. */
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
