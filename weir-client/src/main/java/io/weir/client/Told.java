package io.weir.client;

import static io.weir.http.RateLimitHeaders.POLICY;
import static io.weir.http.RateLimitHeaders.RETRY_AFTER;
import static io.weir.http.RateLimitHeaders.SERVICE;

import io.weir.client.Items.Item;
import io.weir.http.Refusal;
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
 * @param retryAfter for how long it asks not to come again, in microseconds; 0 if it does not say
 * @param readings of every limit it speaks of
 */
record Told(int status, long retryAfter, List<Reading> readings) {
  /** The longest that is believed. */
  static final long LONGEST = 86_400_000_000L;

  static final int UNAVAILABLE = 503;

  private static final long SECOND = 1_000_000;
  private static final long MILLI = 1_000;

  /** Smaller numbers of seconds cannot be a date of our time, nor larger ones anything else. */
  private static final long TEN_YEARS = 315_360_000;

  private static final long IN_MILLIS = 100_000_000_000L;

  /** The families of fields with -Limit, -Remaining and -Reset, the commonest first. */
  private static final List<String> FAMILIES = List.of("X-RateLimit", "RateLimit", "X-Rate-Limit");

  /** Whether the service does not want this call now. */
  boolean refused() {
    return status == Refusal.STATUS || (status == UNAVAILABLE && retryAfter > 0);
  }

  /**
   * Reads an answer.
   *
   * @param fields the lines of a header field, by its name in any case; empty if there are none
   * @param wall the time of the wall clock, for answers that bear no date
   */
  static Told read(int status, Function<String, List<String>> fields, long wall) {
    long date = date(first(fields, "Date")).orElse(wall);
    boolean mayWait = status == Refusal.STATUS || status == UNAVAILABLE;
    List<Reading> readings = named(fields);
    return new Told(
        status,
        mayWait ? retryAfter(fields, date) : 0,
        readings.isEmpty() ? unnamed(fields, date) : readings);
  }

  private static long retryAfter(Function<String, List<String>> fields, long date) {
    long millis = Numbers.of(first(fields, "Retry-After-Ms"), MILLI);
    if (millis > 0) {
      return Math.min(millis, LONGEST);
    }
    String text = first(fields, RETRY_AFTER);
    long seconds = Numbers.of(text, SECOND);
    long wait = seconds >= 0 ? seconds : date(text).orElse(date) - date;
    return Math.min(Math.max(0, wait), LONGEST);
  }

  /** Readings by {@code RateLimit}, whose policies have names. */
  private static List<Reading> named(Function<String, List<String>> fields) {
    Map<String, Item> policies = new HashMap<>();
    for (Item policy : Items.of(fields.apply(POLICY))) {
      policies.put(identity(policy), policy);
    }
    List<Reading> readings = new ArrayList<>();
    for (Item item : Items.of(fields.apply(SERVICE))) {
      long left = item.number("r");
      if (left < 0) {
        continue;
      }
      Item policy = policies.getOrDefault(identity(item), item);
      long burst = policy.number("weir-burst");
      long most = burst < 0 ? policy.number("q") : burst;
      long reset = Numbers.of(item.parameters().get("t"), SECOND);
      long window = Numbers.of(policy.parameters().get("w"), SECOND);
      readings.add(reading(identity(item), most, window, left, reset));
    }
    return readings;
  }

  private static String identity(Item item) {
    return item.name() + "\n" + item.parameters().getOrDefault("pk", "");
  }

  /** A reading by the fields of the first family that has one. */
  private static List<Reading> unnamed(Function<String, List<String>> fields, long date) {
    for (String family : FAMILIES) {
      long left = Numbers.whole(first(fields, family + "-Remaining"));
      if (left >= 0) {
        long most = Numbers.whole(first(fields, family + "-Limit"));
        long reset = reset(first(fields, family + "-Reset"), date);
        return List.of(reading("", most, 0, left, reset));
      }
    }
    return List.of();
  }

  /** Some mean seconds from now, some a date in seconds, some one in milliseconds. */
  private static long reset(String text, long date) {
    long number = Numbers.whole(text);
    if (number < TEN_YEARS) {
      return Numbers.of(text, SECOND);
    }
    return number >= IN_MILLIS ? number * MILLI - date : number * SECOND - date;
  }

  private static Reading reading(String name, long most, long window, long left, long reset) {
    return new Reading(
        name,
        Math.max(0, most),
        Math.min(Math.max(0, window), LONGEST),
        left,
        Math.min(Math.max(0, reset), LONGEST));
  }

  private static String first(Function<String, List<String>> fields, String name) {
    List<String> lines = fields.apply(name);
    return lines.isEmpty() ? "" : lines.get(0);
  }

  private static OptionalLong date(String text) {
    try {
      Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return OptionalLong.of(date.getEpochSecond() * SECOND);
    } catch (DateTimeParseException e) {
      return OptionalLong.empty();
    }
  }
}
