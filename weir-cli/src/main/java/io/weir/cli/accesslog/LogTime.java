package io.weir.cli.accesslog;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Parses the times of access logs. */
final class LogTime {
  private static final DateTimeFormatter COMMON_LOG =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);
  private static final int DIGITS_OF_SECONDS = 11;
  private static final int DIGITS_OF_MILLIS = 14;
  private static final long MAX_MICROS = 10_000_000_000_000_000L;

  private LogTime() {}

  /**
   * Returns microseconds since the epoch. The text is {@code 10/Oct/2026:13:55:36 +0000}, an ISO
   * date and time (UTC without an offset), or a number of seconds, milliseconds or microseconds.
   */
  static long parseMicros(String text) {
    try {
      long micros = parse(text);
      if (micros >= 0 && micros < MAX_MICROS) {
        return micros;
      }
    } catch (DateTimeException | ArithmeticException e) {
      // reported below, like times out of range
    }
    throw new IllegalArgumentException(
        "time must be a date or a number of seconds (was '%s'), for example 2026-01-31T12:00:00Z"
            .formatted(text));
  }

  private static long parse(String text) {
    if (text.matches("[0-9]{1,16}(\\.[0-9]{1,9})?")) {
      int digits = text.indexOf('.') < 0 ? text.length() : text.indexOf('.');
      int shift = digits <= DIGITS_OF_SECONDS ? 6 : digits <= DIGITS_OF_MILLIS ? 3 : 0;
      return new BigDecimal(text).movePointRight(shift).longValue();
    }
    if (text.indexOf('/') > 0) {
      return toMicros(OffsetDateTime.parse(text, COMMON_LOG).toInstant());
    }
    String iso = text.replace(' ', 'T').replace(',', '.');
    boolean hasOffset = iso.endsWith("Z") || iso.lastIndexOf('+') > 0 || iso.matches(".*T.*-.*");
    return toMicros(
        hasOffset
            ? OffsetDateTime.parse(iso).toInstant()
            : LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC));
  }

  private static long toMicros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }
}
