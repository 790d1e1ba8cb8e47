package io.weir.store.nodes;

import io.weir.algorithm.Terms;
import io.weir.rule.Limit;
import io.weir.store.Outcome;
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
final class Account {
  /** How long a lease lives. */
  static final long LIFE = 100_000;

  /** The moment: for how long a counter that has run dry is left alone. */
  private static final long MOMENT = LIFE / 5;

  /** Within which time a counter that was reset must be noticed. */
  private static final long LONGEST_WAIT = 500_000;

  private static final long SLICE = LIFE / 4;
  private static final long BUSY = 8;
  private static final long UNKNOWN = Long.MAX_VALUE;

  final Limit limit;
  final long key;
  private final ArrayDeque<Lease> leases = new ArrayDeque<>(2);
  private long sliceBegan;
  private long askedInSlice;
  private long lastAsked;
  private long demand;
  private long left = UNKNOWN;
  private long dryUntil;
  private boolean asking;
  private boolean waiting;
  private Runnable refuse = () -> {};

  Account(Limit limit, long key, long now) {
    this.limit = limit;
    this.key = key;
    sliceBegan = now;
    lastAsked = now;
  }

  /** Notes that permits were asked for, and takes them from a lease; null if none has them. */
  synchronized @Nullable Outcome spend(long cost, long now) {
    note(cost, now);
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

  private void note(long cost, long now) {
    lastAsked = now;
    long elapsed = now - sliceBegan;
    if (elapsed >= SLICE) {
      long perLife = askedInSlice * LIFE / elapsed;
      demand = elapsed >= LIFE ? perLife : (demand + perLife) / 2;
      askedInSlice = 0;
      sliceBegan = now;
    }
    askedInSlice += Math.min(cost, Terms.MAX_BURST);
  }

  /** Whether so much is asked that borrowing is worth while. */
  synchronized boolean isBusy(long now) {
    return now - lastAsked < LIFE && Math.max(demand, askedInSlice) >= BUSY;
  }

  /** How many permits to borrow now, which must then be done; 0 for none. */
  synchronized long want(long now) {
    boolean asked = demand >= BUSY && now - lastAsked < SLICE;
    if (asking || now < dryUntil || !asked || !Lease.isPossible(limit)) {
      return 0;
    }
    long ahead = Math.max(demand / 2, refill(LIFE / 2));
    long share = left == UNKNOWN ? ahead : left / 4;
    long least = Math.max(1, Math.min(demand * MOMENT / LIFE, limit.most() / 8));
    long want = Math.max(least, Math.min(ahead, share));
    if (held(now) > want / 2) {
      return 0;
    }
    asking = true;
    return want;
  }

  /**
   * What comes back to a bucket in a time. A lease of less would end sooner than that, since a
   * bucket that is full again has forgotten it.
   */
  private long refill(long micros) {
    Terms t = limit.terms();
    return limit.algorithm().bursts() ? (long) ((double) t.permits() * micros / t.period()) : 0;
  }

  /** Permits that are here to be spent. */
  synchronized long held(long now) {
    long sum = 0;
    for (Lease lease : leases) {
      sum += lease.available(now);
    }
    return sum;
  }

  /** Takes in what the store said to a wish for permits; false if it lent none. */
  synchronized boolean lent(Outcome o, long asked, long sent) {
    asking = false;
    if (o.degraded()) {
      return false;
    }
    left = o.fits() ? o.remaining() : 0;
    if (!o.fits()) {
      long wait = o.remaining() == 0 ? Math.min(o.pause(), LONGEST_WAIT) : 0;
      dryUntil = sent + Math.max(wait, dryFor());
      refuse.run();
    }
    if (!o.fits() && o.remaining() == 0) {
      return false;
    }
    leases.add(new Lease(limit, o, asked, sent, LIFE));
    return true;
  }

  /** Takes in what the store said to a request; true if the counter is busy and has run dry. */
  synchronized boolean heard(Outcome o, long now) {
    if (o.degraded()) {
      return false;
    }
    left = o.remaining();
    return !o.fits() && !o.never() && isBusy(now);
  }

  /** Keeps what makes this node refuse by itself, and does it. */
  synchronized void leaveAlone(Runnable refusing) {
    refuse = refusing;
    refusing.run();
  }

  synchronized boolean isDry(long now) {
    return now < dryUntil;
  }

  /** How long to wait for permits to gather, if nobody waits yet; from now on somebody does. */
  synchronized long waits(long now) {
    boolean first = !waiting;
    waiting = true;
    return first ? Math.max(dryFor(), dryUntil - now) : 0;
  }

  synchronized void waited() {
    waiting = false;
  }

  /**
   * For how long a counter that has run dry is left alone, that it may gather permits: a moment, or
   * less where the eighth part of the limit comes back sooner.
   */
  long dryFor() {
    Terms t = limit.terms();
    double perMicro = (double) t.permits() / t.period();
    return Math.min(MOMENT, (long) (limit.most() / 8.0 / perMicro));
  }

  /** Whether this node has borrowed permits, or is about to. */
  synchronized boolean isIdle() {
    return leases.isEmpty() && !asking;
  }

  /** Ends the leases whose time is up, or all where nothing was asked for a while. */
  synchronized List<Lease> ended(long now) {
    boolean unused = now - lastAsked >= SLICE;
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
  synchronized List<Lease> endAll() {
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
