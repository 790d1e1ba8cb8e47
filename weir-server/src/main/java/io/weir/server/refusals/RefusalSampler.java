package io.weir.server.refusals;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Of one rule: which refusals are written, and how many were not. */
final class RefusalSampler {
  /** The most refusals of a rule that may be written in a second. */
  static final int MAX_PER_SECOND = (1 << 20) - 1;

  private static final int COUNT_BITS = 20;
  private static final long IDLE_SECONDS = 60;

  final String rule;
  private final AtomicLong secondAndCount = new AtomicLong();
  private final LongAdder dropped = new LongAdder();
  private long reportedDrops; // the writer's

  RefusalSampler(String rule) {
    this.rule = rule;
  }

  /** Whether another is within this second's share. */
  boolean tryAcquire(long second, int share) {
    while (true) {
      long seen = secondAndCount.get();
      boolean over = second > seen >>> COUNT_BITS; // a thread may come late with the second before
      long taken = over ? 0 : seen & MAX_PER_SECOND;
      if (taken >= share) {
        return false;
      }
      if (secondAndCount.compareAndSet(seen, over ? second << COUNT_BITS | 1 : seen + 1)) {
        return true;
      }
    }
  }

  void countDropped() {
    dropped.increment();
  }

  /** How many were dropped and have not been stated. */
  long unreportedDrops() {
    return dropped.sum() - reportedDrops;
  }

  void markReported(long count) {
    reportedDrops += count;
  }

  boolean isIdle(long second) {
    return second - (secondAndCount.get() >>> COUNT_BITS) > IDLE_SECONDS;
  }
}
