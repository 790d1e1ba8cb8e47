package io.weir.server.refusals;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Decides which refusals of one rule are written, and counts the dropped ones. Thread-safe. */
final class RefusalSampler {
  /** The largest allowed number of written refusals per rule and second. */
  static final int MAX_PER_SECOND = (1 << 20) - 1;

  private static final int COUNT_BITS = 20;
  private static final long IDLE_SECONDS = 60;

  final String rule;
  private final AtomicLong secondAndCount = new AtomicLong();
  private final LongAdder dropped = new LongAdder();
  private long reportedDrops; // used by the writer thread only

  RefusalSampler(String rule) {
    this.rule = rule;
  }

  /** Returns whether one more refusal may be written in this second. */
  boolean tryAcquire(long second, int maxPerSecond) {
    while (true) {
      long current = secondAndCount.get();
      // false for a thread that is late with the previous second
      boolean newSecond = second > current >>> COUNT_BITS;
      long count = newSecond ? 0 : current & MAX_PER_SECOND;
      if (count >= maxPerSecond) {
        return false;
      }
      if (secondAndCount.compareAndSet(
          current, newSecond ? second << COUNT_BITS | 1 : current + 1)) {
        return true;
      }
    }
  }

  void countDropped() {
    dropped.increment();
  }

  /** Returns the number of dropped refusals that were not reported yet. */
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
