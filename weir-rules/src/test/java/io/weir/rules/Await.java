package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Clock;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for something to come true, looking often and giving up in the end. */
final class Await {
  private static final Duration MOST = Duration.ofSeconds(30);

  private Await() {}

  /** How long it took. */
  static Duration until(String what, BooleanSupplier condition) {
    Clock clock = Clock.system();
    long start = clock.micros();
    while (!condition.getAsBoolean()) {
      assertThat(clock.micros() - start).as(what).isLessThan(MOST.toNanos() / 1000);
      LockSupport.parkNanos(1_000_000);
    }
    return Duration.ofNanos((clock.micros() - start) * 1000);
  }
}
