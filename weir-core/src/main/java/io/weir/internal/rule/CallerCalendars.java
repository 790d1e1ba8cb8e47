package io.weir.internal.rule;

import io.weir.rule.Attributes;
import io.weir.rule.CalendarSettings;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.DayOfWeek;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a rule in the calendars of its callers, whose attributes name a time zone or a
 * reset day. Safe for any number of threads.
 */
final class CallerCalendars {
  private static final Logger LOG = System.getLogger(CallerCalendars.class.getName());

  /** All time zones with a few days each, or all days with many zones; more are not kept. */
  private static final int MAX_KEPT = 4096;

  private final String ruleId;
  private final CalendarSettings settings;
  private final LongSupplier countInvalidValue;
  private final Map<CallerCalendar, List<Limit>> variants = new ConcurrentHashMap<>();

  /**
   * @param countInvalidValue counts an attribute that names no zone or no day, and returns how many
   *     there were
   */
  CallerCalendars(String ruleId, CalendarSettings settings, LongSupplier countInvalidValue) {
    this.ruleId = ruleId;
    this.settings = settings;
    this.countInvalidValue = countInvalidValue;
  }

  /**
   * Limits of the rule, and a caller's calendar; a list of limits is identified by its override.
   */
  private record CallerCalendar(int override, @Nullable String zone, int resetDay) {}

  /**
   * Returns limits in the calendar of the caller. A value that makes no sense is replaced by the
   * default.
   *
   * @param override the index of the override that the limits belong to, or -1
   */
  List<Limit> limits(List<Limit> limits, int override, Attributes request) {
    String zoneName =
        settings.zoneAttribute() == null ? null : request.get(settings.zoneAttribute());
    int day = settings.resetDay();
    String dayAttribute = settings.resetDayAttribute();
    String dayText = dayAttribute == null ? null : request.get(dayAttribute);
    if (dayText != null) {
      int callers = CalendarSettings.callerDay(dayText);
      if (callers == 0) {
        onInvalidValue(dayAttribute, dayText);
      } else {
        day = callers;
      }
    }
    ZoneId zone = settings.zone();
    if (zoneName != null) {
      ZoneId callers = CalendarSettings.callerZone(zoneName);
      if (callers == null) {
        onInvalidValue(settings.zoneAttribute(), zoneName);
        zoneName = null;
      } else {
        zone = callers;
      }
    }
    CallerCalendar key = new CallerCalendar(override, zoneName, day);
    List<Limit> known = variants.get(key);
    if (known != null) {
      return known;
    }
    List<Limit> created = variantsOf(limits, zone, day);
    if (variants.size() < MAX_KEPT) {
      List<Limit> first = variants.putIfAbsent(key, created);
      return first == null ? created : first;
    }
    return created;
  }

  private static List<Limit> variantsOf(List<Limit> limits, ZoneId zone, int day) {
    return limits.stream().map(limit -> variantOf(limit, zone, day)).toList();
  }

  private static Limit variantOf(Limit limit, ZoneId zone, int day) {
    CalendarWindows windows = limit.windows();
    if (windows == null) {
      return limit;
    }
    DayOfWeek weekStarts = windows.weekStarts();
    return limit.variant(
        new CalendarWindows(windows.unit(), zone, weekStarts, day, windows.resetAt()));
  }

  /** Logs the first such value, and then ever more seldom: after twice as many. */
  private void onInvalidValue(@Nullable String attribute, String value) {
    long count = countInvalidValue.getAsLong();
    if (Long.bitCount(count) == 1) {
      LOG.log(
          Level.WARNING,
          "rule {0}: attribute {1} names no time zone or day of the month (was \"{2}\"); the default"
              + " applies ({3} such values so far)",
          ruleId,
          attribute,
          value.length() > 64 ? value.substring(0, 64) + "…" : value,
          count);
    }
  }
}
