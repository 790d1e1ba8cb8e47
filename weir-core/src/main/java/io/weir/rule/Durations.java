package io.weir.rule;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as rules write them, such as {@code 100ms}, {@code 30s} or {@code 1h30m}. */
public final class Durations {
  private static final Pattern PART = Pattern.compile("(\\d{1,18})(us|ms|s|m|h|d)");
  private static final Pattern WHOLE = Pattern.compile("(" + PART.pattern() + ")+");
  private static final String[] UNITS = {"d", "h", "m", "s", "ms", "us"};

  private Durations() {}

  /**
   * Reads a duration.
   *
   * @throws IllegalArgumentException saying what to write instead
   */
  public static Duration parse(String text) {
    String trimmed = text.trim();
    if (!WHOLE.matcher(trimmed).matches()) {
      throw unreadable(text);
    }
    long micros = 0;
    Matcher part = PART.matcher(trimmed);
    try {
      while (part.find()) {
        long amount = Long.parseLong(part.group(1));
        micros = Math.addExact(micros, Math.multiplyExact(amount, unit(part.group(2))));
      }
    } catch (ArithmeticException e) {
      throw unreadable(text);
    }
    return Duration.ofNanos(1000).multipliedBy(micros);
  }

  /** Writes a duration so that {@link #parse} reads the same. */
  public static String format(Duration duration) {
    long rest = micros(duration);
    StringBuilder text = new StringBuilder();
    for (String unit : UNITS) {
      if (rest >= unit(unit)) {
        text.append(rest / unit(unit)).append(unit);
        rest %= unit(unit);
      }
    }
    return text.length() == 0 ? "0s" : text.toString();
  }

  /** A duration in whole microseconds. */
  static long micros(Duration duration) {
    return Math.addExact(
        Math.multiplyExact(duration.getSeconds(), 1_000_000L), duration.getNano() / 1000);
  }

  private static long unit(String name) {
    return switch (name) {
      case "us" -> 1L;
      case "ms" -> 1_000L;
      case "s" -> 1_000_000L;
      case "m" -> 60_000_000L;
      case "h" -> 3_600_000_000L;
      default -> 86_400_000_000L;
    };
  }

  private static IllegalArgumentException unreadable(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is not a duration; write a number and a unit, such as 100ms, 30s or 1h30m");
  }
}
