package io.weir.testkit;

import io.weir.store.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A clock for tests that advances only when the test sets it, forwards or backwards. */
public final class FakeClock implements Clock {
  private final AtomicLong micros;

  /** Starts at the beginning of a day, so that windows of up to a day begin at the same time. */
  public FakeClock() {
    this(Instant.parse("2026-01-01T00:00:00Z"));
  }

  public FakeClock(Instant start) {
    micros = new AtomicLong(ChronoUnit.MICROS.between(Instant.EPOCH, start));
  }

  @Override
  public long micros() {
    return micros.get();
  }

  /** Moves the clock forward, or backward by a negative duration. */
  public void advance(Duration duration) {
    micros.addAndGet(duration.toNanos() / 1000);
  }

  /** Sets the clock to a time in microseconds since the epoch. */
  public void set(long time) {
    micros.set(time);
  }

  /** The current time of the clock. */
  public Instant now() {
    return Instant.EPOCH.plus(micros.get(), ChronoUnit.MICROS);
  }
}
