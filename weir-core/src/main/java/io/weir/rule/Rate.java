package io.weir.rule;

import io.weir.internal.Durations;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A number of permits per period, such as {@code 100/minute} or {@code 5/30s}.
 *
 * @param permits the number of permits; 0 refuses everything
 * @param period the length of the period, in whole microseconds; the nominal length of the unit if
 *     there is one
 * @param unit the unit of the calendar that the rate is per, or null if it is per period
 */
public record Rate(long permits, Duration period, @Nullable CalendarUnit unit) {
  private static final Map<String, String> UNITS =
      Map.of("second", "1s", "sec", "1s", "minute", "1m", "min", "1m", "hour", "1h", "day", "1d");

  private static final Pattern PERMITS = Pattern.compile("0|-?[1-9][0-9]{0,17}");
  private static final Pattern UNIT = Pattern.compile("[a-z]+");

  /** Creates a rate per period. */
  public Rate(long permits, Duration period) {
    this(permits, period, null);
  }

  public Rate {
    if (permits < 0) {
      throw new IllegalArgumentException(
          "permits must be at least 0 (was " + permits + "), for example 100/minute");
    }
    if (period.isNegative()
        || period.isZero()
        || !period.truncatedTo(ChronoUnit.MICROS).equals(period)) {
      throw new IllegalArgumentException(
          "period must be a whole number of microseconds, at least 1 (was " + period + ")");
    }
  }

  /**
   * Parses a rate: a whole number, a slash, and a unit (second, minute, hour, day; s, m, h, d), any
   * duration, or a unit that only calendars have (week, month, quarter, year).
   *
   * @throws IllegalArgumentException if it is not valid; the message describes the format
   */
  public static Rate parse(String text) {
    int slash = text.indexOf('/');
    String permits = slash < 0 ? "" : text.substring(0, slash).trim();
    if (!PERMITS.matcher(permits).matches()) {
      throw unreadable(text, null);
    }
    String per = text.substring(slash + 1).trim();
    CalendarUnit unit = CalendarUnit.named(per.toLowerCase(Locale.ROOT));
    return unit != null && unit.needsCalendar()
        ? new Rate(Long.parseLong(permits), unit.nominal(), unit)
        : new Rate(Long.parseLong(permits), period(text, per));
  }

  /** Returns this rate per unit of a calendar, if it is per hour, day or a longer unit. */
  public Rate inCalendar() {
    for (CalendarUnit one : CalendarUnit.values()) {
      if (unit == null && !one.needsCalendar() && one.nominal().equals(period)) {
        return new Rate(permits, period, one);
      }
    }
    return this;
  }

  private static Duration period(String text, String per) {
    String lower = per.toLowerCase(Locale.ROOT);
    String unit = UNITS.getOrDefault(lower, lower);
    try {
      return Durations.parse(UNIT.matcher(unit).matches() ? "1" + unit : unit);
    } catch (IllegalArgumentException e) {
      throw unreadable(text, e);
    }
  }

  private static IllegalArgumentException unreadable(
      String text, @Nullable IllegalArgumentException cause) {
    return new IllegalArgumentException(
        "'"
            + text
            + "' is not a rate; write a whole number per a unit, such as 100/minute or 5/30s",
        cause);
  }

  /** Returns the rate in the format of {@link #parse}. */
  @Override
  public String toString() {
    if (unit != null) {
      return permits + "/" + unit;
    }
    String length = Durations.format(period);
    String unit =
        switch (length) {
          case "1s" -> "second";
          case "1m" -> "minute";
          case "1h" -> "hour";
          case "1d" -> "day";
          default -> length;
        };
    return permits + "/" + unit;
  }
}
