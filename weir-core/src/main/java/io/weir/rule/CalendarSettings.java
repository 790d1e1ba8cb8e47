package io.weir.rule;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneRulesProvider;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calendar of a rule: where and when its windows begin.
 *
 * @param zone the time zone, or the default if {@code zoneAttribute} is set
 * @param zoneAttribute the attribute of a request with the time zone of its caller, or null
 * @param weekStarts the first day of a week
 * @param resetDay the day of the month, 1 to 31, on which months, quarters and years begin; or the
 *     default if {@code resetDayAttribute} is set
 * @param resetDayAttribute the attribute of a request with the day of its caller, or null
 * @param resetAt the time of day at which windows begin
 */
public record CalendarSettings(
    ZoneId zone,
    @Nullable String zoneAttribute,
    DayOfWeek weekStarts,
    int resetDay,
    @Nullable String resetDayAttribute,
    LocalTime resetAt) {
  /** Months of UTC, weeks that start on Monday. */
  public static final CalendarSettings DEFAULT =
      new CalendarSettings(ZoneId.of("UTC"), null, DayOfWeek.MONDAY, 1, null, LocalTime.MIDNIGHT);

  private static final int MAX_DAY = 31;
  private static final Set<String> ZONES = ZoneRulesProvider.getAvailableZoneIds();

  public CalendarSettings {
    checkDay(resetDay);
    if (!resetAt.truncatedTo(ChronoUnit.SECONDS).equals(resetAt)) {
      throw new IllegalArgumentException(
          "reset-at must be a time of day in whole seconds (was " + resetAt + ")");
    }
    if (zoneAttribute != null) {
      Selector.checkName(zoneAttribute);
    }
    if (resetDayAttribute != null) {
      Selector.checkName(resetDayAttribute);
    }
  }

  /**
   * Returns the time zone with an IANA name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static ZoneId zone(String name) {
    ZoneId zone = findZone(name);
    if (zone == null) {
      throw new IllegalArgumentException(
          "must be an IANA time zone (was '" + name + "'), for example Europe/Berlin");
    }
    return zone;
  }

  /** Returns the names of all time zones of this JVM. */
  public static Set<String> zoneNames() {
    return ZONES;
  }

  private static @Nullable ZoneId findZone(String name) {
    try {
      return ZONES.contains(name) ? ZoneId.of(name) : null;
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static int checkDay(int day) {
    if (day < 1 || day > MAX_DAY) {
      throw new IllegalArgumentException(
          "reset-day must be between 1 and 31 (was " + day + "), for example 15");
    }
    return day;
  }

  /** Returns these settings with another time zone for all callers, or as a default. */
  public CalendarSettings withZone(@Nullable String attribute, ZoneId value) {
    return new CalendarSettings(value, attribute, weekStarts, resetDay, resetDayAttribute, resetAt);
  }

  public CalendarSettings withWeekStarts(DayOfWeek day) {
    return new CalendarSettings(zone, zoneAttribute, day, resetDay, resetDayAttribute, resetAt);
  }

  /** Returns these settings with another reset day for all callers, or as a default. */
  public CalendarSettings withResetDay(@Nullable String attribute, int day) {
    return new CalendarSettings(zone, zoneAttribute, weekStarts, day, attribute, resetAt);
  }

  public CalendarSettings withResetAt(LocalTime time) {
    return new CalendarSettings(zone, zoneAttribute, weekStarts, resetDay, resetDayAttribute, time);
  }

  /** Returns whether the windows depend on the caller. */
  public boolean dependsOnCaller() {
    return zoneAttribute != null || resetDayAttribute != null;
  }

  /** Returns the zone that an attribute names; null if it names none. */
  public static @Nullable ZoneId callerZone(String value) {
    return findZone(value);
  }

  /** Returns the day that an attribute names; 0 if it names none. */
  public static int callerDay(String value) {
    if (value.length() > 2) {
      return 0;
    }
    int day = 0;
    for (int i = 0; i < value.length(); i++) {
      int digit = value.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return 0;
      }
      day = 10 * day + digit;
    }
    return day <= MAX_DAY ? day : 0;
  }
}
