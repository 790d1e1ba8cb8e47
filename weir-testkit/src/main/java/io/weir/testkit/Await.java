package io.weir.testkit;

import io.weir.store.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what another thread or process must do, looking often, and giving up in the end. */
public final class Await {
  private static final Clock CLOCK = Clock.system();
  private static final int MAX_PAUSE_MILLIS = 10;

  private Await() {}

  /**
   * Whether it came true in time: a look that was begun after that finds it true, however late a
   * busy machine lets one look.
   */
  public static boolean isTrueWithin(Duration most, BooleanSupplier condition) {
    long end = CLOCK.micros() + most.toNanos() / 1000;
    for (int pause = 1; ; pause++) {
      long looked = CLOCK.micros();
      if (condition.getAsBoolean()) {
        return true;
      }
      if (looked > end) {
        return false;
      }
      pause(Math.min(pause, MAX_PAUSE_MILLIS));
    }
  }

  /**
   * Returns when it is so; how long that took.
   *
   * @throws AssertionError naming what did not come
   */
  public static Duration until(Duration most, String what, BooleanSupplier condition) {
    long began = CLOCK.micros();
    if (!isTrueWithin(most, condition)) {
      throw new AssertionError("not within " + most.toMillis() + " ms: " + what);
    }
    return Duration.ofNanos((CLOCK.micros() - began) * 1000);
  }

  /** Lets that much time pass. */
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
