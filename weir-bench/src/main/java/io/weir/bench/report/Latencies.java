package io.weir.bench.report;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Latencies counted in 32 steps per power of two of nanoseconds. Safe for any number of threads,
 * few of which meet on one number.
 */
public final class Latencies {
  private static final int STEPS = 32;
  private static final int SIZE = 64 * STEPS;
  private static final int COPIES = 4;

  private final AtomicLongArray counts = new AtomicLongArray(COPIES * SIZE);
  private final AtomicLong longest = new AtomicLong();

  public void add(long nanos) {
    int copy = (int) (Thread.currentThread().getId() % COPIES);
    counts.incrementAndGet(copy * SIZE + index(Math.max(1, nanos)));
    if (nanos > longest.get()) {
      longest.accumulateAndGet(nanos, Math::max);
    }
  }

  private static int index(long nanos) {
    int exponent = 63 - Long.numberOfLeadingZeros(nanos);
    long step = exponent >= 5 ? nanos >>> (exponent - 5) : nanos << (5 - exponent);
    return exponent * STEPS + (int) (step & STEPS - 1);
  }

  public long count() {
    long count = 0;
    for (int i = 0; i < counts.length(); i++) {
      count += counts.get(i);
    }
    return count;
  }

  /** The latency in microseconds that this share of all stays below. */
  public double micros(double share) {
    long wanted = (long) Math.ceil(count() * share);
    long seen = 0;
    for (int i = 0; i < SIZE; i++) {
      for (int copy = 0; copy < COPIES; copy++) {
        seen += counts.get(copy * SIZE + i);
      }
      if (seen >= wanted && seen > 0) {
        return Math.scalb(1 + (i % STEPS + 0.5) / STEPS, i / STEPS) / 1000;
      }
    }
    return Double.NaN;
  }

  public double longestMillis() {
    return longest.get() / 1e6;
  }
}
