package io.weir.store.nodes;

import io.weir.algorithm.LimitParameters;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What this node knows of one counter: how much is asked of it here, and the leases it has.
 *
 * <p><b>How much to borrow.</b> Half of what is asked for in the life of a lease, so that it is
 * spent long before it ends, or what comes back in that time if that is more; never more than a
 * quarter of what the store has left, so that the nodes that come after find some too, down to what
 * is asked for in a moment and an eighth of the limit. The next is borrowed when half is spent. Of
 * a counter on which little is asked nothing is borrowed.
 *
 * <p>Safe for any number of threads.
 */
final class LeaseAccount {
  /** How long a lease lives. */
  static final long LEASE_LIFE_MICROS = 100_000;

  /** The moment: for how long a counter that has run dry is left alone. */
  private static final long EXHAUSTED_PAUSE_MICROS = LEASE_LIFE_MICROS / 5;

  /** Within which time a counter that was reset must be noticed. */
  private static final long MAX_EXHAUSTED_WAIT_MICROS = 500_000;

  private static final long DEMAND_SLICE_MICROS = LEASE_LIFE_MICROS / 4;
  private static final long MIN_DEMAND = 8;
  private static final long UNKNOWN = Long.MAX_VALUE;

  final Limit limit;
  final long key;
  private final ArrayDeque<Lease> leases = new ArrayDeque<>(2);
  private long sliceStart;
  private long demandInSlice;
  private long lastRequestAt;
  private long demand;
  private long remainingInStore = UNKNOWN;
  private long exhaustedUntil;
  private boolean isBorrowing;
  private boolean isRetryScheduled;
  private Runnable onExhausted = () -> {};

  LeaseAccount(Limit limit, long key, long now) {
    this.limit = limit;
    this.key = key;
    sliceStart = now;
    lastRequestAt = now;
  }

  /** Notes that permits were asked for, and takes them from a lease; null if none has them. */
  synchronized @Nullable ClaimOutcome spend(long cost, long now) {
    recordDemand(cost, now);
    for (Lease lease : leases) {
      if (lease.available(now) >= cost) {
        return lease.spend(cost, now);
      }
    }
    return null;
  }

  /**
   * Puts back permits of a lease that were spent for a request that was refused after all.
   *
   * @param chargedAt of the lease
   * @return false if it has ended
   */
  synchronized boolean putBack(long cost, long chargedAt) {
    for (Lease lease : leases) {
      if (lease.chargedAt == chargedAt) {
        lease.putBack(cost);
        return true;
      }
    }
    return false;
  }

  private void recordDemand(long cost, long now) {
    lastRequestAt = now;
    long elapsed = now - sliceStart;
    if (elapsed >= DEMAND_SLICE_MICROS) {
      long perLife = demandInSlice * LEASE_LIFE_MICROS / elapsed;
      demand = elapsed >= LEASE_LIFE_MICROS ? perLife : (demand + perLife) / 2;
      demandInSlice = 0;
      sliceStart = now;
    }
    demandInSlice += Math.min(cost, LimitParameters.MAX_BURST);
  }

  /** Whether so much is asked that borrowing is worth while. */
  synchronized boolean isBusy(long now) {
    return now - lastRequestAt < LEASE_LIFE_MICROS && Math.max(demand, demandInSlice) >= MIN_DEMAND;
  }

  /** How many permits to borrow now, which must then be done; 0 for none. */
  synchronized long permitsToBorrow(long now) {
    boolean asked = demand >= MIN_DEMAND && now - lastRequestAt < DEMAND_SLICE_MICROS;
    if (isBorrowing || now < exhaustedUntil || !asked || !Lease.canLease(limit)) {
      return 0;
    }
    long ahead = Math.max(demand / 2, refilledIn(LEASE_LIFE_MICROS / 2));
    long share = remainingInStore == UNKNOWN ? ahead : remainingInStore / 4;
    long least =
        Math.max(
            1, Math.min(demand * EXHAUSTED_PAUSE_MICROS / LEASE_LIFE_MICROS, limit.capacity() / 8));
    long want = Math.max(least, Math.min(ahead, share));
    if (unspentPermits(now) > want / 2) {
      return 0;
    }
    isBorrowing = true;
    return want;
  }

  /**
   * What comes back to a bucket in a time. A lease of less would end sooner than that, since a
   * bucket that is full again has forgotten it.
   */
  private long refilledIn(long micros) {
    LimitParameters t = limit.parameters();
    return limit.algorithm().hasBurst()
        ? (long) ((double) t.permits() * micros / t.periodMicros())
        : 0;
  }

  /** Permits that are here to be spent. */
  synchronized long unspentPermits(long now) {
    long sum = 0;
    for (Lease lease : leases) {
      sum += lease.available(now);
    }
    return sum;
  }

  /** Takes in what the store said to a wish for permits; false if it lent none. */
  synchronized boolean recordLoan(ClaimOutcome o, long asked, long sent) {
    isBorrowing = false;
    if (o.degraded()) {
      return false;
    }
    remainingInStore = o.admitted() ? o.remaining() : 0;
    if (!o.admitted()) {
      long wait = o.remaining() == 0 ? Math.min(o.delayOrWait(), MAX_EXHAUSTED_WAIT_MICROS) : 0;
      exhaustedUntil = sent + Math.max(wait, exhaustedPause());
      onExhausted.run();
    }
    if (!o.admitted() && o.remaining() == 0) {
      return false;
    }
    leases.add(new Lease(limit, o, asked, sent, LEASE_LIFE_MICROS));
    return true;
  }

  /** Takes in what the store said to a request; true if the counter is busy and has run dry. */
  synchronized boolean recordAnswer(ClaimOutcome o, long now) {
    if (o.degraded()) {
      return false;
    }
    remainingInStore = o.remaining();
    return !o.admitted() && !o.costExceedsLimit() && isBusy(now);
  }

  /** Keeps what makes this node refuse by itself, and does it. */
  synchronized void whenExhausted(Runnable refusing) {
    onExhausted = refusing;
    refusing.run();
  }

  synchronized boolean isExhausted(long now) {
    return now < exhaustedUntil;
  }

  /** How long to wait for permits to gather, if nobody waits yet; from now on somebody does. */
  synchronized long scheduleRetry(long now) {
    boolean first = !isRetryScheduled;
    isRetryScheduled = true;
    return first ? Math.max(exhaustedPause(), exhaustedUntil - now) : 0;
  }

  synchronized void retryStarted() {
    isRetryScheduled = false;
  }

  /**
   * For how long a counter that has run dry is left alone, that it may gather permits: a moment, or
   * less where the eighth part of the limit comes back sooner.
   */
  long exhaustedPause() {
    LimitParameters t = limit.parameters();
    double perMicro = (double) t.permits() / t.periodMicros();
    return Math.min(EXHAUSTED_PAUSE_MICROS, (long) (limit.capacity() / 8.0 / perMicro));
  }

  /** Whether this node has borrowed permits, or is about to. */
  synchronized boolean isIdle() {
    return leases.isEmpty() && !isBorrowing;
  }

  /** Ends the leases whose time is up, or all where nothing was asked for a while. */
  synchronized List<Lease> removeEndedLeases(long now) {
    boolean unused = now - lastRequestAt >= DEMAND_SLICE_MICROS;
    List<Lease> ended = new ArrayList<>();
    for (Lease lease : leases) {
      if (unused || lease.available(now) == 0) {
        ended.add(lease);
      }
    }
    leases.removeAll(ended);
    return ended;
  }

  /** Ends all leases. */
  synchronized List<Lease> removeAllLeases() {
    List<Lease> all = List.copyOf(leases);
    leases.clear();
    return all;
  }

  /** By its counter, so that accounts are gone through in the same order whenever all is equal. */
  @Override
  public int hashCode() {
    return Long.hashCode(key);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }
}
