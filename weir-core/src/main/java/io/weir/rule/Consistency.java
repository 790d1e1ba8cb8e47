package io.weir.rule;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * How strictly nodes count together on one rule.
 *
 * @param mode the way of counting
 * @param syncInterval how often nodes reconcile where the kind is synced, in whole microseconds;
 *     zero elsewhere
 */
public record Consistency(CountingMode mode, Duration syncInterval) {

  /** The ways of counting together. */
  public enum CountingMode {
    /** The shared store decides every request. */
    EXACT,
    /** A node borrows blocks of permits, charged in the store at once, and spends them itself. */
    LEASED,
    /** Each node counts alone and reconciles every interval. */
    SYNCED,
    /** One node's memory is the truth. */
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
          "sync-every of "
              + Durations.format(syncInterval)
              + " cannot be; write 1ms to 1m, such as 100ms");
    }
    if (!synced && !syncInterval.isZero()) {
      throw new IllegalArgumentException("sync-every goes with synced only; leave it out");
    }
  }

  /** Counted alone, reconciled every {@code interval}. */
  public static Consistency synced(Duration interval) {
    return new Consistency(CountingMode.SYNCED, interval);
  }
}
