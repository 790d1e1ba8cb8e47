package io.weir.spring;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Warms up the store before the application is ready, so that its first decisions are not late and
 * degraded: peeks until the store has answered some times in a row, for a short time at most.
 */
final class StoreWarmUp {
  private static final int ANSWERS = 40;
  private static final int PAUSE_MILLIS = 5;
  private static final long MAX_DURATION_MICROS = 1_000_000;
  private static final String NAME = "weir-warm-up";

  private StoreWarmUp() {}

  static void run(WeirStatus status) {
    if (status.mode() == WeirMode.OFF) {
      return;
    }
    Limiter limiter =
        Weir.limiter(RuleSet.of(Rule.named(NAME).per("user").limit("1000000/second").build()))
            .store(status.store())
            .build();
    Request request = Request.of("user", NAME);
    Clock clock = Clock.monotonic();
    int answers = 0;
    while (answers < ANSWERS && clock.micros() < MAX_DURATION_MICROS) {
      boolean isAnswered = !limiter.peek(request).join().degraded();
      answers = isAnswered ? answers + 1 : 0;
      if (!isAnswered) {
        pause();
      }
    }
  }

  private static void pause() {
    new CompletableFuture<Boolean>()
        .completeOnTimeout(true, PAUSE_MILLIS, TimeUnit.MILLISECONDS)
        .join();
  }
}
