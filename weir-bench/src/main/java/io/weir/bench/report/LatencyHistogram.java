package io.weir.bench.report;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A latency histogram with 32 buckets per power of two nanoseconds. Thread-safe; striped to reduce
 * contention.
 */
public final class LatencyHistogram {
  private static final int STEPS_PER_POWER_OF_TWO = 32;
  private static final int BUCKET_COUNT = 64 * STEPS_PER_POWER_OF_TWO;
  private static final int STRIPES = 4;

  private final AtomicLongArray counts = new AtomicLongArray(STRIPES * BUCKET_COUNT);
  private final AtomicLong maxNanos = new AtomicLong();

  public void add(long nanos) {
    int copy = (int) (Thread.currentThread().getId() % STRIPES);
    counts.incrementAndGet(copy * BUCKET_COUNT + bucketIndex(Math.max(1, nanos)));
    if (nanos > maxNanos.get()) {
      maxNanos.accumulateAndGet(nanos, Math::max);
    }
  }

  private static int bucketIndex(long nanos) {
    int exponent = 63 - Long.numberOfLeadingZeros(nanos);
    long step = exponent >= 5 ? nanos >>> (exponent - 5) : nanos << (5 - exponent);
    return exponent * STEPS_PER_POWER_OF_TWO + (int) (step & STEPS_PER_POWER_OF_TWO - 1);
  }

  public long count() {
    long count = 0;
    for (int i = 0; i < counts.length(); i++) {
      count += counts.get(i);
    }
    return count;
  }

  /** Returns a percentile in microseconds, for example 0.99. */
  public double percentileMicros(double percentile) {
    long rank = (long) Math.ceil(count() * percentile);
    long seen = 0;
    for (int i = 0; i < BUCKET_COUNT; i++) {
      for (int copy = 0; copy < STRIPES; copy++) {
        seen += counts.get(copy * BUCKET_COUNT + i);
      }
      if (seen >= rank && seen > 0) {
        return Math.scalb(
                1 + (i % STEPS_PER_POWER_OF_TWO + 0.5) / STEPS_PER_POWER_OF_TWO,
                i / STEPS_PER_POWER_OF_TWO)
            / 1000;
      }
    }
    return Double.NaN;
  }

  public double maxMillis() {
    return maxNanos.get() / 1e6;
  }
}
