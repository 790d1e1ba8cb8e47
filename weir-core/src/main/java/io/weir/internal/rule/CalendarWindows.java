package io.weir.internal.rule;

import io.weir.internal.algorithm.CalendarWindow;
import io.weir.rule.CalendarSettings;
import io.weir.rule.CalendarUnit;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Set;
import java.util.TreeSet;

/**
 * The windows of a calendar: a pure function from a time to the window that contains it.
 *
 * <p>A window begins when the local clock first shows its first moment, such as midnight on the
 * first of the month. A moment that is skipped when clocks are set forward counts as the moment of
 * the change. Where clocks are set back an hour occurs twice, and each is a window of its own.
 *
 * @param unit the unit of the windows
 * @param zone the time zone of the local clock
 * @param weekStarts the first day of a week
 * @param resetDay the day of the month on which months, quarters and years begin; the last day in
 *     months that are shorter
 * @param resetAt the time of day at which all windows but hours begin
 */
public record CalendarWindows(
    CalendarUnit unit, ZoneId zone, DayOfWeek weekStarts, int resetDay, LocalTime resetAt) {
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final int MONTHS_PER_QUARTER = 3;

  /** How many units around a time are searched for the edges around it. */
  private static final int SEARCHED_UNITS = 3;

  /** Creates the windows of a unit for callers without attributes of their own. */
  static CalendarWindows of(CalendarSettings settings, CalendarUnit unit) {
    return new CalendarWindows(
        unit, settings.zone(), settings.weekStarts(), settings.resetDay(), settings.resetAt());
  }

  /** Returns the window that contains a time, in microseconds since the epoch. */
  public CalendarWindow at(long micros) {
    ZoneRules rules = zone.getRules();
    Instant instant = Instant.ofEpochSecond(Math.floorDiv(micros, MICROS_PER_SECOND));
    LocalDateTime local = LocalDateTime.ofInstant(instant, rules.getOffset(instant));
    TreeSet<Long> edges = new TreeSet<>();
    for (int distance = -SEARCHED_UNITS; distance <= SEARCHED_UNITS; distance++) {
      addStarts(firstMoment(local, distance), rules, edges);
    }
    Long start = edges.floor(micros);
    Long end = edges.higher(micros);
    Long previous = start == null ? null : edges.lower(start);
    if (start == null || end == null || previous == null) {
      throw new IllegalStateException("no " + unit + " of " + zone + " contains " + instant);
    }
    return CalendarWindow.between(previous, start, end);
  }

  /** Returns the first moment of the unit {@code distance} units after that of a local time. */
  private LocalDateTime firstMoment(LocalDateTime local, int distance) {
    LocalDate date = local.toLocalDate();
    return switch (unit) {
      case HOUR -> local.truncatedTo(ChronoUnit.HOURS).plusHours(distance);
      case DAY -> date.plusDays(distance).atTime(resetAt);
      case WEEK ->
          date.with(TemporalAdjusters.previousOrSame(weekStarts))
              .plusWeeks(distance)
              .atTime(resetAt);
      case MONTH -> resetIn(YearMonth.from(date).plusMonths(distance));
      case QUARTER -> {
        int intoQuarter = (date.getMonthValue() - 1) % MONTHS_PER_QUARTER;
        yield resetIn(
            YearMonth.from(date).plusMonths((long) distance * MONTHS_PER_QUARTER - intoQuarter));
      }
      case YEAR -> resetIn(YearMonth.of(date.getYear() + distance, 1));
    };
  }

  private LocalDateTime resetIn(YearMonth month) {
    return month.atDay(Math.min(resetDay, month.lengthOfMonth())).atTime(resetAt);
  }

  /** Adds the times at which the local clock shows a moment: one, or two for a repeated hour. */
  private void addStarts(LocalDateTime moment, ZoneRules rules, Set<Long> edges) {
    ZoneOffsetTransition change = rules.getTransition(moment);
    if (change != null && change.isGap()) {
      edges.add(change.toEpochSecond() * MICROS_PER_SECOND);
      return;
    }
    for (ZoneOffset offset : rules.getValidOffsets(moment)) {
      edges.add(moment.toEpochSecond(offset) * MICROS_PER_SECOND);
      if (unit != CalendarUnit.HOUR) {
        return;
      }
    }
  }
}
