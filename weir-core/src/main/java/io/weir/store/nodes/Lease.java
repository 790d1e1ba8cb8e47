package io.weir.store.nodes;

import io.weir.algorithm.Algorithms;
import io.weir.algorithm.Terms;
import io.weir.rule.Limit;
import io.weir.store.Outcome;

/**
 * A block of permits that was charged in the store and is spent here.
 *
 * <p>A permit is spent later than it was charged, and must not count for less because of that:
 *
 * <ul>
 *   <li><b>Buckets.</b> Permits come back from the moment of the charge. As long as the bucket
 *       would not have been full without the lease, that is the same as if it had been charged when
 *       it is spent. From then on what comes back is what an unspent permit of the lease is worth,
 *       so the lease loses as many permits: they expire.
 *   <li><b>Windows.</b> A lease ends with the window it was charged in.
 *   <li><b>Logs.</b> A charge leaves the trailing window one period after its date. When the lease
 *       ends, what was spent is charged anew as of the last spending, and the lease given back.
 * </ul>
 *
 * <p>Times are the node's but for {@link #chargedAt}. Not thread-safe: it belongs to an {@link
 * Account}.
 */
final class Lease {
  /** Of shorter logs nothing is borrowed: they forget a charge before it can be dated anew. */
  private static final long MIN_LOG_PERIOD_MICROS = 200_000;

  private static final int LIVES_PER_LOG_PERIOD = 4;

  /** When it was charged, by the store's clock. */
  final long chargedAt;

  private final Limit limit;
  private final long sent;
  private final long until;
  private final long given;
  private final long left;
  private final long reset;
  private final long delay;
  private long unspent;
  private long lastSpent;
  private double expired;
  private double usedOtherwise;
  private long expiredUntil;

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
    lastSpent = sent;
    long longest = isLog(limit) ? limit.terms().period() / LIVES_PER_LOG_PERIOD : life;
    long ends = Math.min(Math.min(life, longest), reset);
    until = sent + Math.min(ends, untilWindowEnds(limit, o.time()));
    usedOtherwise = Math.max(0, (reset - 1) * perMicro() - given);
    expiredUntil = sent;
  }

  /** Whether permits of a limit may be spent later than they are charged. */
  static boolean isPossible(Limit limit) {
    return !isLog(limit) || limit.terms().period() >= MIN_LOG_PERIOD_MICROS;
  }

  /** Whether every permit counts for one period from its own date. */
  static boolean isLog(Limit limit) {
    return limit.algorithm() == Algorithms.SLIDING_LOG;
  }

  /** A bucket has no windows; aligning the others costs a log nothing that matters. */
  private static long untilWindowEnds(Limit limit, long now) {
    Terms t = limit.terms();
    return limit.algorithm().bursts() ? Long.MAX_VALUE : t.period() - now % t.period();
  }

  private double perMicro() {
    return (double) limit.terms().permits() / limit.terms().period();
  }

  /** The permits that can be spent. */
  long available(long now) {
    return now >= until ? 0 : worth(now);
  }

  /** The permits that are still charged in the store and not spent. */
  private long worth(long now) {
    if (limit.algorithm().bursts()) {
      expire(now);
    }
    return Math.max(0, unspent - (long) Math.ceil(expired));
  }

  /** Lets the bucket fill; what comes back once it would be full without the lease expires. */
  private void expire(long now) {
    double back = Math.max(0, now - expiredUntil) * perMicro();
    expired += Math.max(0, back - usedOtherwise);
    usedOtherwise = Math.max(0, usedOtherwise - back);
    expiredUntil = Math.max(expiredUntil, now);
  }

  /** Takes permits that must be available; what the store would have said. */
  Outcome spend(long cost, long now) {
    long place = given - unspent;
    unspent -= cost;
    usedOtherwise += cost;
    lastSpent = now;
    long passed = now - sent;
    long turn = delay > 0 || place > 0 ? delay + turns(place) - passed : 0;
    long remaining = left + available(now);
    return new Outcome(
        true, false, remaining, Math.max(0, reset - passed), Math.max(0, turn), chargedAt, true);
  }

  /** How long a queue takes to let so many out. */
  private long turns(long permits) {
    return limit.algorithm().queues() ? limit.terms().drain(permits * limit.terms().unit()) : 0;
  }

  /** The time to date a refund of so many permits at. */
  long chargedAt(long permits) {
    return limit.algorithm().chargedAt(limit.terms(), chargedAt, reset, permits);
  }

  /** Puts back permits that were spent in vain. */
  void putBack(long cost) {
    unspent += cost;
    usedOtherwise = Math.max(0, usedOtherwise - cost);
  }

  /** Ends it; how many permits to give back to the store. */
  long end(long now) {
    return worth(now);
  }

  /** The permits it began with. */
  long given() {
    return given;
  }

  /** The permits that have to be charged anew when it has ended; 0 if none. */
  long redated() {
    return isLog(limit) ? given - unspent : 0;
  }

  /** The store's time of the last spending, or a little later. */
  long redatedTo() {
    return chargedAt + lastSpent - sent;
  }

  /** Whether what was spent has left every log by now. */
  boolean isForgotten(long now) {
    return now - lastSpent >= limit.terms().period();
  }
}
