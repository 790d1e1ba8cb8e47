package io.weir.server.admin;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import java.util.concurrent.atomic.AtomicLong;

/** Lets so many through, by a rule of Weir's own, and counts the rest. */
final class Sampling {
  static final long LEFT_OUT = -1;

  private static final int BYTES = 1 << 20;
  private static final Request ONE = Request.of();

  private final Limiter limiter;
  private final AtomicLong leftOut = new AtomicLong();

  Sampling(String limit, Clock clock) {
    Rule rule = Rule.named("sampling").limit(limit).build();
    limiter = Weir.limiter(RuleSet.of(rule)).store(new MemoryStore(clock, BYTES)).build();
  }

  /** How many were left out since the last one, if this one is let through; else LEFT_OUT. */
  long next() {
    if (limiter.decideNow(ONE).allowed()) {
      return leftOut.getAndSet(0);
    }
    leftOut.incrementAndGet();
    return LEFT_OUT;
  }
}
