package io.weir.rule;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * How strictly nodes count together on one rule.
 *
 * @param kind the way of counting
 * @param syncEvery how often nodes reconcile where the kind is synced, in whole microseconds; zero
 *     elsewhere
 */
public record Consistency(Kind kind, Duration syncEvery) {

  /** The ways of counting together. */
  public enum Kind {
    /** The shared store decides every request. */
    EXACT,
    /** A node borrows blocks of permits, charged in the store at once, and spends them itself. */
    LEASED,
    /** Each node counts alone and reconciles every interval. */
    SYNCED,
    /** One node's memory is the truth. */
    LOCAL
  }

  public static final Consistency EXACT = new Consistency(Kind.EXACT, Duration.ZERO);
  public static final Consistency LEASED = new Consistency(Kind.LEASED, Duration.ZERO);
  public static final Consistency LOCAL = new Consistency(Kind.LOCAL, Duration.ZERO);

  public Consistency {
    syncEvery = syncEvery.truncatedTo(ChronoUnit.MICROS);
    boolean synced = kind == Kind.SYNCED;
    if (synced && (syncEvery.toMillis() < 1 || syncEvery.compareTo(Duration.ofMinutes(1)) > 0)) {
      throw new IllegalArgumentException(
          "sync-every of "
              + Durations.format(syncEvery)
              + " cannot be; write 1ms to 1m, such as 100ms");
    }
    if (!synced && !syncEvery.isZero()) {
      throw new IllegalArgumentException("sync-every goes with synced only; leave it out");
    }
  }

  /** Counted alone, reconciled every {@code interval}. */
  public static Consistency synced(Duration interval) {
    return new Consistency(Kind.SYNCED, interval);
  }
}
