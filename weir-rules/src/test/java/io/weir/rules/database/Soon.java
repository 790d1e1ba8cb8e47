package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Clock;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits, within bounds, for what another thread or process does. */
final class Soon {
  private static final Clock CLOCK = Clock.system();

  private Soon() {}

  /** Returns how long it took. */
  static Duration within(Duration most, String what, BooleanSupplier condition) {
    long start = CLOCK.micros();
    long took = 0;
    while (!condition.getAsBoolean()) {
      took = CLOCK.micros() - start;
      assertThat(took).as("microseconds until " + what).isLessThan(most.toNanos() / 1000);
      LockSupport.parkNanos(2_000_000);
    }
    return Duration.ofNanos(took * 1000);
  }

  static Duration took(Runnable work) {
    long start = CLOCK.micros();
    work.run();
    return Duration.ofNanos((CLOCK.micros() - start) * 1000);
  }
}
