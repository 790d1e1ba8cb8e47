package io.weir.rule;

import io.weir.internal.Durations;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * How strictly the nodes of a cluster share the counters of a rule.
 *
 * @param mode the counting mode
 * @param syncInterval the interval between syncs in mode SYNCED, in whole microseconds; zero in
 *     other modes
 */
public record Consistency(CountingMode mode, Duration syncInterval) {

  /** How nodes share counters. */
  public enum CountingMode {
    /** The shared store decides every request. */
    EXACT,
    /** A node leases blocks of permits, which are charged in the store at once, and spends them. */
    LEASED,
    /** Each node counts locally and syncs with the store at an interval. */
    SYNCED,
    /** Each node counts in its own memory only. */
    LOCAL
  }

  public static final Consistency EXACT = new Consistency(CountingMode.EXACT, Duration.ZERO);
  public static final Consistency LEASED = new Consistency(CountingMode.LEASED, Duration.ZERO);
  public static final Consistency LOCAL = new Consistency(CountingMode.LOCAL, Duration.ZERO);

  public Consistency {
    syncInterval = syncInterval.truncatedTo(ChronoUnit.MICROS);
    boolean synced = mode == CountingMode.SYNCED;
    if (synced
        && (syncInterval.toMillis() < 1 || syncInterval.compareTo(Duration.ofMinutes(1)) > 0)) {
      throw new IllegalArgumentException(
          "sync-every must be between 1ms and 1m (was "
              + Durations.format(syncInterval)
              + "), for example 100ms");
    }
    if (!synced && !syncInterval.isZero()) {
      throw new IllegalArgumentException(
          "sync-every is only allowed with consistency synced; leave it out");
    }
  }

  /** Counts locally and syncs every {@code interval}. */
  public static Consistency synced(Duration interval) {
    return new Consistency(CountingMode.SYNCED, interval);
  }
}
