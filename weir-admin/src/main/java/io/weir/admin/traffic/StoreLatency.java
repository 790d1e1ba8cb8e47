package io.weir.admin.traffic;

import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Histogram of store latencies, with percentiles that are accurate to 10 %.
 *
 * <p>It has eight buckets per doubling. Recording is thread-safe; reading is for one thread at a
 * time.
 */
public final class StoreLatency {
  private static final int BUCKETS_PER_DOUBLING = 8;
  private static final int BUCKETS = 32 * BUCKETS_PER_DOUBLING;

  private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);
  private final long[] previousCounts = new long[BUCKETS];

  /** The number of replies and their latency in microseconds; zeros if there were none. */
  public record LatencyPercentiles(long answers, long median, long p99) {
    public static final LatencyPercentiles NONE = new LatencyPercentiles(0, 0, 0);
  }

  /** Returns the listener that records store latencies. */
  public StoreListener listener() {
    return new StoreListener() {
      @Override
      public void onAnswer(StoreOperation mode, long micros) {
        counts.incrementAndGet(bucket(micros));
      }
    };
  }

  /** Returns the latencies since the last call of this method. */
  LatencyPercentiles takeSample() {
    long[] delta = new long[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      long now = counts.get(i);
      delta[i] = now - previousCounts[i];
      previousCounts[i] = now;
    }
    long total = Arrays.stream(delta).sum();
    return total == 0
        ? LatencyPercentiles.NONE
        : new LatencyPercentiles(
            total, percentile(delta, total, 0.5), percentile(delta, total, 0.99));
  }

  private static long percentile(long[] counts, long total, double quantile) {
    long remaining = (long) Math.ceil(total * quantile);
    int i = 0;
    while (i < BUCKETS - 1 && counts[i] < remaining) {
      remaining -= counts[i++];
    }
    return Math.round(Math.pow(2, (i + 0.5) / BUCKETS_PER_DOUBLING));
  }

  private static int bucket(long micros) {
    double log = Math.log((double) Math.max(1, micros)) / Math.log(2);
    return Math.min(BUCKETS - 1, (int) (log * BUCKETS_PER_DOUBLING));
  }
}
