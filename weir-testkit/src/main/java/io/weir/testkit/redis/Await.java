package io.weir.testkit.redis;

import io.weir.store.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for another process, looking every few milliseconds and giving up in the end. */
final class Await {
  private static final int MILLIS_BETWEEN = 2;

  private Await() {}

  /** Whether the condition came true in time. */
  static boolean until(Duration most, BooleanSupplier condition) {
    Clock clock = Clock.system();
    long end = clock.micros() + most.toNanos() / 1000;
    while (!condition.getAsBoolean()) {
      if (clock.micros() > end) {
        return false;
      }
      try {
        Thread.sleep(MILLIS_BETWEEN);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for Redis", e);
      }
    }
    return true;
  }
}
