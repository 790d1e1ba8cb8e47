package io.weir.server.traffic;

import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long a store takes to answer, told by percentiles that are right to a tenth.
 *
 * <p>Counted in buckets, eight to each doubling. Safe for any number of threads; reading it is for
 * one.
 */
public final class StoreLatency {
  private static final int BUCKETS_PER_DOUBLING = 8;
  private static final int BUCKETS = 32 * BUCKETS_PER_DOUBLING;

  private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);
  private final long[] previousCounts = new long[BUCKETS];

  /** How long answers took, in microseconds; zeros if there were none. */
  public record LatencyPercentiles(long answers, long median, long p99) {
    public static final LatencyPercentiles NONE = new LatencyPercentiles(0, 0, 0);
  }

  /** Hears a store. */
  public StoreListener listener() {
    return new StoreListener() {
      @Override
      public void onAnswer(StoreOperation mode, long micros) {
        counts.incrementAndGet(bucket(micros));
      }
    };
  }

  /** How long they took since this was last asked. */
  LatencyPercentiles takeSample() {
    long[] fresh = new long[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      long now = counts.get(i);
      fresh[i] = now - previousCounts[i];
      previousCounts[i] = now;
    }
    long all = Arrays.stream(fresh).sum();
    return all == 0
        ? LatencyPercentiles.NONE
        : new LatencyPercentiles(all, percentile(fresh, all, 0.5), percentile(fresh, all, 0.99));
  }

  private static long percentile(long[] counts, long all, double share) {
    long left = (long) Math.ceil(all * share);
    int i = 0;
    while (i < BUCKETS - 1 && counts[i] < left) {
      left -= counts[i++];
    }
    return Math.round(Math.pow(2, (i + 0.5) / BUCKETS_PER_DOUBLING));
  }

  private static int bucket(long micros) {
    double log = Math.log((double) Math.max(1, micros)) / Math.log(2);
    return Math.min(BUCKETS - 1, (int) (log * BUCKETS_PER_DOUBLING));
  }
}
