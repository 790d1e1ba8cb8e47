package io.weir.server.refusals;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Of one rule: which refusals are written, and how many were not. */
final class Sample {
  /** The most refusals of a rule that may be written in a second. */
  static final int MOST = (1 << 20) - 1;

  private static final int BITS = 20;
  private static final long IDLE_SECONDS = 60;

  final String rule;
  private final AtomicLong secondAndTaken = new AtomicLong();
  private final LongAdder dropped = new LongAdder();
  private long stated; // the writer's

  Sample(String rule) {
    this.rule = rule;
  }

  /** Whether another is within this second's share. */
  boolean admits(long second, int share) {
    while (true) {
      long seen = secondAndTaken.get();
      boolean over = second > seen >>> BITS; // a thread may come late with the second before
      long taken = over ? 0 : seen & MOST;
      if (taken >= share) {
        return false;
      }
      if (secondAndTaken.compareAndSet(seen, over ? second << BITS | 1 : seen + 1)) {
        return true;
      }
    }
  }

  void drop() {
    dropped.increment();
  }

  /** How many were dropped and have not been stated. */
  long unstated() {
    return dropped.sum() - stated;
  }

  void stated(long count) {
    stated += count;
  }

  boolean isIdle(long second) {
    return second - (secondAndTaken.get() >>> BITS) > IDLE_SECONDS;
  }
}
