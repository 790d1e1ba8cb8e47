package io.weir.internal.store.nodes;

import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The demand for one leased counter on this node, and its leases.
 *
 * <p><b>How much to borrow.</b> Half of the demand in the life of a lease, so that the lease is
 * spent long before it ends, or the permits refilled in that time if these are more. At most a
 * quarter of what the store has left, so that other nodes can borrow too, but at least the demand
 * in the pause of an exhausted counter, up to an eighth of the limit. The next lease is borrowed
 * when half is spent. Counters with little demand are not leased.
 *
 * <p>Safe for any number of threads.
 */
final class LeaseAccount {
  /** How long a lease lives at most. */
  static final long LEASE_LIFE_MICROS = 100_000;

  /** How long to wait before borrowing again from an exhausted counter. */
  private static final long EXHAUSTED_PAUSE_MICROS = LEASE_LIFE_MICROS / 5;

  /** The longest such wait, so that a reset of the counter on another node is noticed. */
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

  /** Records the demand and spends permits of a lease; returns null if no lease has them. */
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
   * @param chargedAt identifies the lease
   * @return false if the lease has ended
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

  /** Whether the demand is high enough for leases. */
  synchronized boolean isBusy(long now) {
    return now - lastRequestAt < LEASE_LIFE_MICROS && Math.max(demand, demandInSlice) >= MIN_DEMAND;
  }

  /** The permits to borrow now, 0 for none; otherwise the caller must call {@link #recordLoan}. */
  synchronized long permitsToBorrow(long now) {
    boolean hasDemand = demand >= MIN_DEMAND && now - lastRequestAt < DEMAND_SLICE_MICROS;
    if (isBorrowing || now < exhaustedUntil || !hasDemand || !Lease.canLease(limit)) {
      return 0;
    }
    long ahead = Math.max(demand / 2, refilledIn(LEASE_LIFE_MICROS / 2));
    long share = remainingInStore == UNKNOWN ? ahead : remainingInStore / 4;
    long min =
        Math.max(
            1, Math.min(demand * EXHAUSTED_PAUSE_MICROS / LEASE_LIFE_MICROS, limit.capacity() / 8));
    long wanted = Math.max(min, Math.min(ahead, share));
    if (unspentPermits(now) > wanted / 2) {
      return 0;
    }
    isBorrowing = true;
    return wanted;
  }

  /**
   * The permits refilled into a bucket in a time. A smaller lease would end before that time, since
   * its permits expire once the bucket is full again.
   */
  private long refilledIn(long micros) {
    LimitParameters t = limit.parameters();
    return limit.windowModel() == WindowModel.CONTINUOUS
        ? (long) ((double) t.permits() * micros / t.periodMicros())
        : 0;
  }

  /** The leased permits that can be spent now. */
  synchronized long unspentPermits(long now) {
    long sum = 0;
    for (Lease lease : leases) {
      sum += lease.available(now);
    }
    return sum;
  }

  /** Records the store's answer to a request for permits; returns false if it granted none. */
  synchronized boolean recordLoan(ClaimOutcome o, long requested, long sent) {
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
    leases.add(new Lease(limit, o, requested, sent, LEASE_LIFE_MICROS));
    return true;
  }

  /** Records the store's answer to a request; returns whether the counter is busy and exhausted. */
  synchronized boolean recordAnswer(ClaimOutcome o, long now) {
    if (o.degraded()) {
      return false;
    }
    remainingInStore = o.remaining();
    return !o.admitted() && !o.costExceedsLimit() && isBusy(now);
  }

  /** Runs the action, which makes this node refuse by itself, now and when exhausted again. */
  synchronized void whenExhausted(Runnable action) {
    onExhausted = action;
    action.run();
  }

  synchronized boolean isExhausted(long now) {
    return now < exhaustedUntil;
  }

  /** How long to wait before borrowing again; 0 if a retry is scheduled already. */
  synchronized long scheduleRetry(long now) {
    boolean first = !isRetryScheduled;
    isRetryScheduled = true;
    return first ? Math.max(exhaustedPause(), exhaustedUntil - now) : 0;
  }

  /** Records that the scheduled retry has started. */
  synchronized void retryStarted() {
    isRetryScheduled = false;
  }

  /**
   * How long to wait before borrowing again from an exhausted counter, so that permits accumulate:
   * shorter if an eighth of the limit is refilled sooner.
   */
  long exhaustedPause() {
    LimitParameters t = limit.parameters();
    double perMicro = (double) t.permits() / t.periodMicros();
    return Math.min(EXHAUSTED_PAUSE_MICROS, (long) (limit.capacity() / 8.0 / perMicro));
  }

  /** Whether this node has no lease and is not borrowing. */
  synchronized boolean isIdle() {
    return leases.isEmpty() && !isBorrowing;
  }

  /** Removes the leases that have ended, or all of them if there was no demand for a while. */
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

  /** Removes all leases. */
  synchronized List<Lease> removeAllLeases() {
    List<Lease> all = List.copyOf(leases);
    leases.clear();
    return all;
  }

  /** Derived from the counter, so that iteration order is reproducible in simulations. */
  @Override
  public int hashCode() {
    return Long.hashCode(key);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }
}
