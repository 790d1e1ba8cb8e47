package io.weir.client;

import static io.weir.http.RateLimitHeaders.RATE_LIMIT;
import static io.weir.http.RateLimitHeaders.RATE_LIMIT_POLICY;
import static io.weir.http.RateLimitHeaders.RETRY_AFTER;

import io.weir.client.StructuredFieldParser.StructuredFieldItem;
import io.weir.http.RefusalResponse;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * What an answer tells of limits. Whatever the header fields hold, this can be read from them: what
 * is no number, negative or in the past tells nothing, and what is longer than a day is a day.
 *
 * @param status of the answer
 * @param retryAfterMicros for how long it asks not to come again, in microseconds; 0 if it does not
 *     say
 * @param limits of every limit it speaks of
 */
record RateLimitInfo(int status, long retryAfterMicros, List<LimitSnapshot> limits) {
  /** The longest that is believed. */
  static final long MAX_DURATION_MICROS = 86_400_000_000L;

  static final int SERVICE_UNAVAILABLE = 503;

  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long MICROS_PER_MILLI = 1_000;

  /** Smaller numbers of seconds cannot be a date of our time, nor larger ones anything else. */
  private static final long MIN_EPOCH_SECONDS = 315_360_000;

  private static final long MIN_EPOCH_MILLIS = 100_000_000_000L;

  /** The families of fields with -Limit, -Remaining and -Reset, the commonest first. */
  private static final List<String> FIELD_PREFIXES =
      List.of("X-RateLimit", "RateLimit", "X-Rate-Limit");

  /** Whether the service does not want this call now. */
  boolean isRefusal() {
    return status == RefusalResponse.STATUS
        || (status == SERVICE_UNAVAILABLE && retryAfterMicros > 0);
  }

  /**
   * Reads an answer.
   *
   * @param fields the lines of a header field, by its name in any case; empty if there are none
   * @param wall the time of the wall clock, for answers that bear no date
   */
  static RateLimitInfo parse(int status, Function<String, List<String>> fields, long wall) {
    long date = parseDate(first(fields, "Date")).orElse(wall);
    boolean mayWait = status == RefusalResponse.STATUS || status == SERVICE_UNAVAILABLE;
    List<LimitSnapshot> readings = namedLimits(fields);
    return new RateLimitInfo(
        status,
        mayWait ? retryAfter(fields, date) : 0,
        readings.isEmpty() ? unnamedLimits(fields, date) : readings);
  }

  private static long retryAfter(Function<String, List<String>> fields, long date) {
    long millis = NumberParser.parseCeil(first(fields, "Retry-After-Ms"), MICROS_PER_MILLI);
    if (millis > 0) {
      return Math.min(millis, MAX_DURATION_MICROS);
    }
    String text = first(fields, RETRY_AFTER);
    long seconds = NumberParser.parseCeil(text, MICROS_PER_SECOND);
    long wait = seconds >= 0 ? seconds : parseDate(text).orElse(date) - date;
    return Math.min(Math.max(0, wait), MAX_DURATION_MICROS);
  }

  /** Readings by {@code RateLimit}, whose policies have names. */
  private static List<LimitSnapshot> namedLimits(Function<String, List<String>> fields) {
    Map<String, StructuredFieldItem> policies = new HashMap<>();
    for (StructuredFieldItem policy :
        StructuredFieldParser.parse(fields.apply(RATE_LIMIT_POLICY))) {
      policies.put(limitName(policy), policy);
    }
    List<LimitSnapshot> readings = new ArrayList<>();
    for (StructuredFieldItem item : StructuredFieldParser.parse(fields.apply(RATE_LIMIT))) {
      long left = item.number("r");
      if (left < 0) {
        continue;
      }
      StructuredFieldItem policy = policies.getOrDefault(limitName(item), item);
      long burst = policy.number("weir-burst");
      long most = burst < 0 ? policy.number("q") : burst;
      long reset = NumberParser.parseCeil(item.parameters().get("t"), MICROS_PER_SECOND);
      long window = NumberParser.parseCeil(policy.parameters().get("w"), MICROS_PER_SECOND);
      readings.add(snapshot(limitName(item), most, window, left, reset));
    }
    return readings;
  }

  private static String limitName(StructuredFieldItem item) {
    return item.name() + "\n" + item.parameters().getOrDefault("pk", "");
  }

  /** A reading by the fields of the first family that has one. */
  private static List<LimitSnapshot> unnamedLimits(
      Function<String, List<String>> fields, long date) {
    for (String family : FIELD_PREFIXES) {
      long left = NumberParser.parseFloor(first(fields, family + "-Remaining"));
      if (left >= 0) {
        long most = NumberParser.parseFloor(first(fields, family + "-Limit"));
        long reset = parseReset(first(fields, family + "-Reset"), date);
        return List.of(snapshot("", most, 0, left, reset));
      }
    }
    return List.of();
  }

  /** Some mean seconds from now, some a date in seconds, some one in milliseconds. */
  private static long parseReset(String text, long date) {
    long number = NumberParser.parseFloor(text);
    if (number < MIN_EPOCH_SECONDS) {
      return NumberParser.parseCeil(text, MICROS_PER_SECOND);
    }
    return number >= MIN_EPOCH_MILLIS
        ? number * MICROS_PER_MILLI - date
        : number * MICROS_PER_SECOND - date;
  }

  private static LimitSnapshot snapshot(
      String name, long most, long window, long left, long reset) {
    return new LimitSnapshot(
        name,
        Math.max(0, most),
        Math.min(Math.max(0, window), MAX_DURATION_MICROS),
        left,
        Math.min(Math.max(0, reset), MAX_DURATION_MICROS));
  }

  private static String first(Function<String, List<String>> fields, String name) {
    List<String> lines = fields.apply(name);
    return lines.isEmpty() ? "" : lines.get(0);
  }

  private static OptionalLong parseDate(String text) {
    try {
      Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return OptionalLong.of(date.getEpochSecond() * MICROS_PER_SECOND);
    } catch (DateTimeParseException e) {
      return OptionalLong.empty();
    }
  }
}
