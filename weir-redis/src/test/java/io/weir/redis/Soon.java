package io.weir.redis;

import io.weir.store.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what must come, with a bound. */
final class Soon {
  private static final Clock CLOCK = Clock.system();
  private static final int PAUSE_MILLIS = 5;

  private Soon() {}

  /** Returns when it is so; how long that took. */
  static Duration until(Duration most, String what, BooleanSupplier condition) {
    long began = CLOCK.micros();
    while (!condition.getAsBoolean()) {
      if (CLOCK.micros() - began > most.toNanos() / 1000) {
        throw new AssertionError("not within " + most.toMillis() + " ms: " + what);
      }
      pause();
    }
    return Duration.ofNanos((CLOCK.micros() - began) * 1000);
  }

  /** Lets a fault last that long. */
  static void pass(Duration time) {
    long end = CLOCK.micros() + time.toNanos() / 1000;
    while (CLOCK.micros() < end) {
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting", e);
    }
  }
}
