package io.weir.store.nodes;

import io.weir.algorithm.Terms;
import io.weir.rule.Limit;
import io.weir.store.Outcome;

/**
 * A block of permits that was charged in the store and is spent here.
 *
 * <p>It ends before what was charged could be forgotten, and before the window it was charged in
 * does, so that no permit is spent where it no longer counts. Times are the node's but for {@link
 * #chargedAt}. Not thread-safe: it belongs to an {@link Account}.
 */
final class Lease {
  /** When it was charged, by the store's clock. */
  final long chargedAt;

  /** From when on it must not be spent any more. */
  final long until;

  private final Limit limit;
  private final long sent;
  private final long given;
  private final long left;
  private final long reset;
  private final long delay;
  private long unspent;

  /**
   * @param o what the store said to {@code asked} permits
   * @param sent when it was asked: the charge came after that, so the lease ends in time
   */
  Lease(Limit limit, Outcome o, long asked, long sent, long life) {
    this.limit = limit;
    this.sent = sent;
    chargedAt = o.time();
    given = o.fits() ? asked : o.remaining();
    left = o.fits() ? o.remaining() : 0;
    reset = o.reset();
    delay = o.pause();
    unspent = given;
    until = sent + Math.min(Math.min(life, reset), untilWindowEnds(limit, o.time()));
  }

  /** A bucket has no windows; aligning the others costs a log nothing that matters. */
  private static long untilWindowEnds(Limit limit, long now) {
    Terms t = limit.terms();
    return limit.algorithm().bursts() ? Long.MAX_VALUE : t.period() - now % t.period();
  }

  long unspent() {
    return unspent;
  }

  boolean hasEnded(long now) {
    return now >= until;
  }

  /** Takes permits that must be there; what the store would have said. */
  Outcome spend(long cost, long now) {
    long place = given - unspent;
    unspent -= cost;
    long passed = now - sent;
    long turn = delay > 0 || place > 0 ? delay + turns(place) - passed : 0;
    long remaining = left + unspent;
    return new Outcome(
        true, false, remaining, Math.max(0, reset - passed), Math.max(0, turn), chargedAt);
  }

  /** How long a queue takes to let so many out. */
  private long turns(long permits) {
    return limit.algorithm().queues() ? limit.terms().drain(permits * limit.terms().unit()) : 0;
  }

  /** Puts back permits that were spent in vain. */
  void putBack(long cost) {
    unspent += cost;
  }

  /** Ends it; how many permits were not spent. */
  long end() {
    long rest = unspent;
    unspent = 0;
    return rest;
  }
}
