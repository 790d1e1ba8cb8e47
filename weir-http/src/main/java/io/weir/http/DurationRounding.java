package io.weir.http;

import java.time.Duration;

/** Rounds durations up, so that callers who wait exactly that long are not too early. */
final class DurationRounding {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long MICROS_PER_SECOND = 1_000_000;

  private DurationRounding() {}

  static long ceilToMillis(Duration duration) {
    return (duration.toNanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
  }

  static long ceilToSeconds(long micros) {
    return (micros + MICROS_PER_SECOND - 1) / MICROS_PER_SECOND;
  }
}
