package io.weir.server.traffic;

import io.weir.store.Mode;
import io.weir.store.StoreListener;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long a store takes to answer, told by percentiles that are right to a tenth.
 *
 * <p>Counted in buckets, eight to each doubling. Safe for any number of threads; reading it is for
 * one.
 */
public final class Latency {
  private static final int PER_DOUBLING = 8;
  private static final int BUCKETS = 32 * PER_DOUBLING;

  private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);
  private final long[] seen = new long[BUCKETS];

  /** How long answers took, in microseconds; zeros if there were none. */
  public record Taken(long answers, long median, long p99) {
    public static final Taken NONE = new Taken(0, 0, 0);
  }

  /** Hears a store. */
  public StoreListener listener() {
    return new StoreListener() {
      @Override
      public void answered(Mode mode, long micros) {
        counts.incrementAndGet(bucket(micros));
      }
    };
  }

  /** How long they took since this was last asked. */
  Taken since() {
    long[] fresh = new long[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      long now = counts.get(i);
      fresh[i] = now - seen[i];
      seen[i] = now;
    }
    long all = Arrays.stream(fresh).sum();
    return all == 0 ? Taken.NONE : new Taken(all, at(fresh, all, 0.5), at(fresh, all, 0.99));
  }

  private static long at(long[] counts, long all, double share) {
    long left = (long) Math.ceil(all * share);
    int i = 0;
    while (i < BUCKETS - 1 && counts[i] < left) {
      left -= counts[i++];
    }
    return Math.round(Math.pow(2, (i + 0.5) / PER_DOUBLING));
  }

  private static int bucket(long micros) {
    double log = Math.log((double) Math.max(1, micros)) / Math.log(2);
    return Math.min(BUCKETS - 1, (int) (log * PER_DOUBLING));
  }
}
