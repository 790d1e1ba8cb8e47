package io.weir.admin;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Samples events at a fixed rate, by a built-in rate limit, and counts the skipped ones.
 * Thread-safe.
 */
final class EventSampler {
  static final long NOT_SAMPLED = -1;

  private static final int STORE_BYTES = 1 << 20;
  private static final Request EMPTY_REQUEST = Request.of();

  private final Limiter limiter;
  private final AtomicLong skipped = new AtomicLong();

  EventSampler(String limit, Clock clock) {
    Rule rule = Rule.named("sampling").limit(limit).build();
    limiter = Weir.limiter(RuleSet.of(rule)).store(new MemoryStore(clock, STORE_BYTES)).build();
  }

  /**
   * Returns the number of events skipped since the last sampled one if this event is sampled, else
   * {@link #NOT_SAMPLED}.
   */
  long sample() {
    if (limiter.decideNow(EMPTY_REQUEST).allowed()) {
      return skipped.getAndSet(0);
    }
    skipped.incrementAndGet();
    return NOT_SAMPLED;
  }
}
