package io.weir.lab;

import io.weir.internal.rule.Claim;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * One request of a trace: time, key and cost.
 *
 * @param micros the time since the epoch or since the start of the trace
 */
public record TraceLine(long micros, String key, long cost) {
  private static final long MAX_TIME_MICROS = 10_000_000_000_000_000L;

  /**
   * Parses lines of {@code time,key,cost}: seconds or a date, any text, and a whole number (default
   * 1). A header line, empty lines and lines starting with # are skipped.
   *
   * @return the requests in order of time
   * @throws IllegalArgumentException if a line is invalid; the message starts with its number
   */
  public static List<TraceLine> read(List<String> csv) {
    List<TraceLine> lines = new ArrayList<>();
    for (int i = 0; i < csv.size(); i++) {
      String text = csv.get(i).strip();
      boolean isHeader = lines.isEmpty() && text.toLowerCase(Locale.ROOT).startsWith("time,");
      if (!text.isEmpty() && !text.startsWith("#") && !isHeader) {
        try {
          lines.add(parse(text));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException("line " + (i + 1) + ": " + e.getMessage(), e);
        }
      }
    }
    lines.sort(Comparator.comparingLong(TraceLine::micros));
    return lines;
  }

  private static TraceLine parse(String text) {
    String[] cells = text.split(",", -1);
    if (cells.length < 2 || cells.length > 3 || cells[1].isBlank()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not time,key,cost; write a line such as 12.5,alice,1");
    }
    return new TraceLine(
        parseTimeMicros(cells[0].strip()),
        cells[1].strip(),
        cells.length < 3 ? 1 : cost(cells[2].strip()));
  }

  private static long parseTimeMicros(String text) {
    try {
      long micros =
          text.matches("[0-9]{1,12}(\\.[0-9]+)?")
              ? new BigDecimal(text).movePointRight(6).longValue()
              : ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(text));
      if (micros >= 0 && micros < MAX_TIME_MICROS) {
        return micros;
      }
    } catch (DateTimeParseException e) {
      // reported below, like times out of range
    }
    throw new IllegalArgumentException(
        "'"
            + text
            + "' is not a time; write seconds or a date, such as 12.5 or 2026-01-31T12:00:00Z");
  }

  private static long cost(String text) {
    if (!text.matches("[0-9]{1,15}")) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a cost; write a whole number, at least 1");
    }
    return Claim.checkCost(Long.parseLong(text));
  }
}
