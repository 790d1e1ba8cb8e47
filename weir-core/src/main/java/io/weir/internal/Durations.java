package io.weir.internal;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** Parses and formats durations such as {@code 100ms}, {@code 30s} or {@code 1h30m}. */
public final class Durations {
  private static final int MAX_DIGITS = 18;
  private static final String[] UNITS = {"d", "h", "m", "s", "ms", "us"};

  private Durations() {}

  /**
   * Parses a duration.
   *
   * @throws IllegalArgumentException if it is not valid; the message describes the format
   */
  public static Duration parse(String text) {
    String trimmed = text.trim();
    long micros = 0;
    int at = 0;
    try {
      do {
        int unit = endOfRun(trimmed, at, '0', '9');
        int end = endOfRun(trimmed, unit, 'a', 'z');
        boolean leadingZero = unit - at > 1 && trimmed.charAt(at) == '0';
        if (unit == at || unit - at > MAX_DIGITS || leadingZero) {
          throw unreadable(text);
        }
        long amount = Long.parseLong(trimmed, at, unit, 10);
        long length = unitMicros(trimmed.substring(unit, end));
        micros = Math.addExact(micros, Math.multiplyExact(amount, length));
        at = end;
      } while (at < trimmed.length());
    } catch (ArithmeticException e) {
      throw unreadable(text);
    }
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  private static int endOfRun(String text, int from, char first, char last) {
    int at = from;
    while (at < text.length() && text.charAt(at) >= first && text.charAt(at) <= last) {
      at++;
    }
    return at;
  }

  /** Formats a duration so that {@link #parse} returns the same duration. */
  public static String format(Duration duration) {
    long rest = toMicros(duration);
    StringBuilder text = new StringBuilder();
    for (String unit : UNITS) {
      if (rest >= unitMicros(unit)) {
        text.append(rest / unitMicros(unit)).append(unit);
        rest %= unitMicros(unit);
      }
    }
    return text.length() == 0 ? "0s" : text.toString();
  }

  /** Converts a duration to whole microseconds. */
  public static long toMicros(Duration duration) {
    return Math.addExact(
        Math.multiplyExact(duration.getSeconds(), 1_000_000L), duration.getNano() / 1000);
  }

  private static long unitMicros(String name) {
    return switch (name) {
      case "us" -> 1L;
      case "ms" -> 1_000L;
      case "s" -> 1_000_000L;
      case "m" -> 60_000_000L;
      case "h" -> 3_600_000_000L;
      case "d" -> 86_400_000_000L;
      default -> throw new ArithmeticException("no unit");
    };
  }

  private static IllegalArgumentException unreadable(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is not a duration; write a number and a unit, such as 100ms, 30s or 1h30m");
  }
}
