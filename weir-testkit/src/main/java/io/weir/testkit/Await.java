package io.weir.testkit;

import io.weir.store.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for conditions that other threads or processes fulfill, by polling with a timeout. */
public final class Await {
  private static final Clock CLOCK = Clock.system();
  private static final int MAX_PAUSE_MILLIS = 10;

  private Await() {}

  /**
   * Returns whether the condition becomes true within the timeout. The condition is checked once
   * more after the timeout, however late a busy machine runs that check.
   */
  public static boolean isTrueWithin(Duration timeout, BooleanSupplier condition) {
    long end = CLOCK.micros() + timeout.toNanos() / 1000;
    for (int pause = 1; ; pause++) {
      long checkedAt = CLOCK.micros();
      if (condition.getAsBoolean()) {
        return true;
      }
      if (checkedAt > end) {
        return false;
      }
      pause(Math.min(pause, MAX_PAUSE_MILLIS));
    }
  }

  /**
   * Waits until the condition is true; returns how long that took.
   *
   * @throws AssertionError with the description, if the condition is not true within the timeout
   */
  public static Duration until(Duration timeout, String description, BooleanSupplier condition) {
    long start = CLOCK.micros();
    if (!isTrueWithin(timeout, condition)) {
      throw new AssertionError("not within " + timeout.toMillis() + " ms: " + description);
    }
    return Duration.ofNanos((CLOCK.micros() - start) * 1000);
  }

  /** Sleeps for that time. */
  public static void sleep(Duration time) {
    var unused = isTrueWithin(time, () -> false);
  }

  private static void pause(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting", e);
    }
  }
}
