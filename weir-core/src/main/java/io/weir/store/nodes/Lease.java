package io.weir.store.nodes;

import io.weir.algorithm.Algorithms;
import io.weir.algorithm.LimitParameters;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;

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
 * LeaseAccount}.
 */
final class Lease {
  /** Of shorter logs nothing is borrowed: they forget a charge before it can be dated anew. */
  private static final long MIN_LOG_PERIOD_MICROS = 200_000;

  private static final int LEASES_PER_LOG_PERIOD = 4;

  /** When it was charged, by the store's clock. */
  final long chargedAt;

  private final Limit limit;
  private final long requestedAt;
  private final long expiresAt;
  private final long granted;
  private final long remainingInStore;
  private final long reset;
  private final long delay;
  private long unspent;
  private long lastSpentAt;
  private double expiredPermits;
  private double usedByOthers;
  private long expiryCountedUntil;

  /**
   * @param o what the store said to {@code asked} permits
   * @param sent when it was asked: the charge came after that, so the lease ends in time
   */
  Lease(Limit limit, ClaimOutcome o, long asked, long sent, long life) {
    this.limit = limit;
    this.requestedAt = sent;
    chargedAt = o.time();
    granted = o.admitted() ? asked : o.remaining();
    remainingInStore = o.admitted() ? o.remaining() : 0;
    reset = o.reset();
    delay = o.delayOrWait();
    unspent = granted;
    lastSpentAt = sent;
    long longest =
        isSlidingLog(limit) ? limit.parameters().periodMicros() / LEASES_PER_LOG_PERIOD : life;
    long ends = Math.min(Math.min(life, longest), reset);
    expiresAt = sent + Math.min(ends, untilWindowEnds(limit, o.time()));
    usedByOthers = Math.max(0, (reset - 1) * permitsPerMicro() - granted);
    expiryCountedUntil = sent;
  }

  /** Whether permits of a limit may be spent later than they are charged. */
  static boolean canLease(Limit limit) {
    return !isSlidingLog(limit) || limit.parameters().periodMicros() >= MIN_LOG_PERIOD_MICROS;
  }

  /** Whether every permit counts for one period from its own date. */
  static boolean isSlidingLog(Limit limit) {
    return limit.algorithm() == Algorithms.SLIDING_LOG;
  }

  /** A bucket has no windows; aligning the others costs a log nothing that matters. */
  private static long untilWindowEnds(Limit limit, long now) {
    LimitParameters t = limit.parameters();
    return limit.algorithm().hasBurst()
        ? Long.MAX_VALUE
        : t.periodMicros() - now % t.periodMicros();
  }

  private double permitsPerMicro() {
    return (double) limit.parameters().permits() / limit.parameters().periodMicros();
  }

  /** The permits that can be spent. */
  long available(long now) {
    return now >= expiresAt ? 0 : chargedUnspent(now);
  }

  /** The permits that are still charged in the store and not spent. */
  private long chargedUnspent(long now) {
    if (limit.algorithm().hasBurst()) {
      countExpired(now);
    }
    return Math.max(0, unspent - (long) Math.ceil(expiredPermits));
  }

  /** Lets the bucket fill; what comes back once it would be full without the lease expires. */
  private void countExpired(long now) {
    double back = Math.max(0, now - expiryCountedUntil) * permitsPerMicro();
    expiredPermits += Math.max(0, back - usedByOthers);
    usedByOthers = Math.max(0, usedByOthers - back);
    expiryCountedUntil = Math.max(expiryCountedUntil, now);
  }

  /** Takes permits that must be available; what the store would have said. */
  ClaimOutcome spend(long cost, long now) {
    long place = granted - unspent;
    unspent -= cost;
    usedByOthers += cost;
    lastSpentAt = now;
    long passed = now - requestedAt;
    long turn = delay > 0 || place > 0 ? delay + queueDelay(place) - passed : 0;
    long remaining = remainingInStore + available(now);
    return new ClaimOutcome(
        true, false, remaining, Math.max(0, reset - passed), Math.max(0, turn), chargedAt, true);
  }

  /** How long a queue takes to let so many out. */
  private long queueDelay(long permits) {
    return limit.algorithm().delaysRequests()
        ? limit.parameters().drainTime(permits * limit.parameters().unitsPerPermit())
        : 0;
  }

  /** The time to date a refund of so many permits at. */
  long chargedAt(long permits) {
    return limit.algorithm().chargedAt(limit.parameters(), chargedAt, reset, permits);
  }

  /** Puts back permits that were spent in vain. */
  void putBack(long cost) {
    unspent += cost;
    usedByOthers = Math.max(0, usedByOthers - cost);
  }

  /** Ends it; how many permits to give back to the store. */
  long permitsToReturn(long now) {
    return chargedUnspent(now);
  }

  /** The permits it began with. */
  long granted() {
    return granted;
  }

  /** The permits that have to be charged anew when it has ended; 0 if none. */
  long permitsToRecharge() {
    return isSlidingLog(limit) ? granted - unspent : 0;
  }

  /** The store's time of the last spending, or a little later. */
  long rechargeTime() {
    return chargedAt + lastSpentAt - requestedAt;
  }

  /** Whether what was spent has left every log by now. */
  boolean isForgotten(long now) {
    return now - lastSpentAt >= limit.parameters().periodMicros();
  }
}
