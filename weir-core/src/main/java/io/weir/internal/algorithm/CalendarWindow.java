package io.weir.internal.algorithm;

/**
 * One window of a calendar, such as a month in a time zone, in microseconds since the epoch.
 *
 * <p>A stored state belongs to this window if its own window began at {@code since} or later. That
 * is somewhat before {@code start}: two nodes with different time zone data, or a rule whose zone
 * was changed, disagree about the start by at most about a day, but must not begin the same window
 * twice.
 *
 * @param start the first moment of the window
 * @param end the first moment of the next window
 * @param since the earliest start of a stored window that counts as this one
 */
public record CalendarWindow(long start, long end, long since) {
  /** More than any two time zones differ from each other: 26 hours. */
  private static final long MAX_ZONE_DIFFERENCE_MICROS = 26L * 3_600 * 1_000_000;

  /** Creates the window between two edges; {@code previous} is the edge before them. */
  public static CalendarWindow between(long previous, long start, long end) {
    long tolerance = Math.min(MAX_ZONE_DIFFERENCE_MICROS, (start - previous) / 2);
    return new CalendarWindow(Math.max(0, start), end, Math.max(0, start - tolerance));
  }

  public boolean contains(long time) {
    return time >= start && time < end;
  }
}
