package io.weir.rule;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A unit of the calendar whose length varies: an hour or a day too, when clocks change. */
public enum CalendarUnit {
  HOUR(Duration.ofHours(1), Duration.ofHours(2)),
  DAY(Duration.ofDays(1), Duration.ofHours(26)),
  WEEK(Duration.ofDays(7), Duration.ofDays(8)),
  MONTH(Duration.ofDays(30), Duration.ofDays(32)),
  QUARTER(Duration.ofDays(90), Duration.ofDays(93)),
  YEAR(Duration.ofDays(365), Duration.ofDays(366));

  private final Duration nominal;
  private final Duration longest;

  CalendarUnit(Duration nominal, Duration longest) {
    this.nominal = nominal;
    this.longest = longest;
  }

  /**
   * Returns the length used where one is needed without a date, such as in the keys of counters.
   */
  public Duration nominal() {
    return nominal;
  }

  /** Returns a length that no such unit exceeds. */
  public Duration longest() {
    return longest;
  }

  /** Returns whether rates with this unit need a calendar: a day and an hour also exist without. */
  public boolean needsCalendar() {
    return compareTo(DAY) > 0;
  }

  /** Returns the unit with this lower-case name; null if there is none. */
  static @Nullable CalendarUnit named(String name) {
    for (CalendarUnit unit : values()) {
      if (unit.toString().equals(name)) {
        return unit;
      }
    }
    return null;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
