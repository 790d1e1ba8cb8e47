package io.weir.testkit.redis;

import io.weir.store.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for another process, looking often at first, then less so, and giving up in the end. */
final class Await {
  private static final int LONGEST_PAUSE_MILLIS = 20;

  private Await() {}

  /** Whether the condition came true in time. */
  static boolean until(Duration most, BooleanSupplier condition) {
    Clock clock = Clock.system();
    long end = clock.micros() + most.toNanos() / 1000;
    for (int pause = 1; !condition.getAsBoolean(); pause++) {
      if (clock.micros() > end) {
        return false;
      }
      try {
        Thread.sleep(Math.min(pause, LONGEST_PAUSE_MILLIS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for a process", e);
      }
    }
    return true;
  }
}
