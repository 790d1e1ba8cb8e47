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
 * The rate limit information of a response. Parsing never fails: values that are not numbers,
 * negative or in the past are ignored, and durations are capped at one day.
 *
 * @param status the HTTP status of the response
 * @param retryAfterMicros how long to wait before the next call, in microseconds; 0 if not given
 * @param limits all limits that the response reports
 */
record RateLimitInfo(int status, long retryAfterMicros, List<LimitSnapshot> limits) {
  /** The maximum duration; longer ones are capped. */
  static final long MAX_DURATION_MICROS = 86_400_000_000L;

  static final int SERVICE_UNAVAILABLE = 503;

  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long MICROS_PER_MILLI = 1_000;

  /**
   * From this value on (ten years), a number of seconds is a date since the epoch, not a duration.
   */
  private static final long MIN_EPOCH_SECONDS = 315_360_000;

  /** From this value on, a date is in milliseconds since the epoch. */
  private static final long MIN_EPOCH_MILLIS = 100_000_000_000L;

  /** The prefixes of fields with -Limit, -Remaining and -Reset, the most common first. */
  private static final List<String> FIELD_PREFIXES =
      List.of("X-RateLimit", "RateLimit", "X-Rate-Limit");

  /** Returns whether the service refused the call because of a limit or overload. */
  boolean isRefusal() {
    return status == RefusalResponse.STATUS
        || (status == SERVICE_UNAVAILABLE && retryAfterMicros > 0);
  }

  /**
   * Parses the header fields of a response.
   *
   * @param fields returns the lines of a header field by case-insensitive name; empty if missing
   * @param wall the time of the wall clock in microseconds, for responses without a date
   */
  static RateLimitInfo parse(int status, Function<String, List<String>> fields, long wall) {
    long date = parseDate(first(fields, "Date")).orElse(wall);
    boolean mayWait = status == RefusalResponse.STATUS || status == SERVICE_UNAVAILABLE;
    List<LimitSnapshot> limits = namedLimits(fields);
    return new RateLimitInfo(
        status,
        mayWait ? retryAfter(fields, date) : 0,
        limits.isEmpty() ? unnamedLimits(fields, date) : limits);
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

  /** Returns the limits of {@code RateLimit}, whose policies have names. */
  private static List<LimitSnapshot> namedLimits(Function<String, List<String>> fields) {
    Map<String, StructuredFieldItem> policies = new HashMap<>();
    for (StructuredFieldItem policy :
        StructuredFieldParser.parse(fields.apply(RATE_LIMIT_POLICY))) {
      policies.put(limitName(policy), policy);
    }
    List<LimitSnapshot> limits = new ArrayList<>();
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
      limits.add(snapshot(limitName(item), most, window, left, reset));
    }
    return limits;
  }

  private static String limitName(StructuredFieldItem item) {
    return item.name() + "\n" + item.parameters().getOrDefault("pk", "");
  }

  /** Returns the limit of the first prefix that has a remaining value. */
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

  /** Parses a reset, which is seconds from now, or a date in seconds or milliseconds. */
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
