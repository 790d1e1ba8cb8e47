package io.weir.server.cli;

import io.weir.rule.Durations;
import java.time.Duration;

/** How things are said on a terminal. */
final class Words {
  private static final long EXACT_MILLIS = 10_000;
  private static final int LONGEST = 400;

  private Words() {}

  /** A time, to the millisecond while it is short, else in whole seconds, rounded up. */
  static String time(long millis) {
    long shown = millis < EXACT_MILLIS ? millis : (millis + 999) / 1000 * 1000;
    return Durations.format(Duration.ofMillis(shown));
  }

  /** {@code 1 rule}, {@code 2 rules}. */
  static String count(long count, String one) {
    return count + " " + one + (count == 1 ? "" : "s");
  }

  /** What others wrote, in one line and without anything a terminal would obey. */
  static String line(String text) {
    StringBuilder line = new StringBuilder();
    text.strip()
        .codePoints()
        .limit(LONGEST)
        .forEach(c -> line.appendCodePoint(isObeyed(c) ? ' ' : c));
    return line.toString();
  }

  private static boolean isObeyed(int c) {
    int type = Character.getType(c);
    return type == Character.CONTROL
        || type == Character.FORMAT
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR
        || type == Character.SURROGATE;
  }
}
