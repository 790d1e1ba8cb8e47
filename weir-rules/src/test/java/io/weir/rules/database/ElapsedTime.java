package io.weir.rules.database;

import io.weir.store.Clock;
import java.time.Duration;

/** Measures the duration of some work. */
final class ElapsedTime {
  private static final Clock CLOCK = Clock.system();

  private ElapsedTime() {}

  static Duration of(Runnable work) {
    long start = CLOCK.micros();
    work.run();
    return Duration.ofNanos((CLOCK.micros() - start) * 1000);
  }
}
