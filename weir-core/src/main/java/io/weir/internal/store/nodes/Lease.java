package io.weir.internal.store.nodes;

import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;

/**
 * A block of permits that was charged in the store and is spent on this node.
 *
 * <p>A permit is spent later than it was charged, and must not count less because of that:
 *
 * <ul>
 *   <li><b>Buckets.</b> Permits are refilled from the moment of the charge. As long as the bucket
 *       would not have been full without the lease, that is the same as if the permit had been
 *       charged when it is spent. From then on each refilled permit makes up for an unspent permit
 *       of the lease, so the lease loses as many permits: they expire.
 *   <li><b>Windows.</b> A lease ends with the window it was charged in.
 *   <li><b>Logs.</b> A charge leaves the trailing window one period after its date. When the lease
 *       ends, the spent permits are charged again as of the last spending, and the lease is
 *       refunded.
 * </ul>
 *
 * <p>Times are by the node's clock, except {@link #chargedAt}. Not thread-safe: guarded by its
 * {@link LeaseAccount}.
 */
final class Lease {
  /** Shorter logs are not leased: a charge would expire before it could be dated again. */
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
   * @param o the store's answer to a request for that many permits
   * @param sent when the request was sent; the charge is later, so the lease ends in time
   */
  Lease(Limit limit, ClaimOutcome o, long requested, long sent, long life) {
    this.limit = limit;
    this.requestedAt = sent;
    chargedAt = o.time();
    granted = o.admitted() ? requested : o.remaining();
    remainingInStore = o.admitted() ? o.remaining() : 0;
    reset = o.reset();
    delay = o.delayOrWait();
    unspent = granted;
    lastSpentAt = sent;
    long longest =
        isTrailing(limit) ? limit.parameters().periodMicros() / LEASES_PER_LOG_PERIOD : life;
    long ends = Math.min(Math.min(life, longest), reset);
    expiresAt = sent + Math.min(ends, untilWindowEnds(limit, o.time()));
    usedByOthers = Math.max(0, (reset - 1) * permitsPerMicro() - granted);
    expiryCountedUntil = sent;
  }

  /** Whether permits of a limit may be spent later than they are charged. */
  static boolean canLease(Limit limit) {
    return !isTrailing(limit) || limit.parameters().periodMicros() >= MIN_LOG_PERIOD_MICROS;
  }

  /** Whether every permit counts for one period from its own date. */
  static boolean isTrailing(Limit limit) {
    return limit.windowModel() == WindowModel.TRAILING;
  }

  /** How long a lease may live because of its window; unlimited without windows. */
  private static long untilWindowEnds(Limit limit, long now) {
    return limit.windowModel() == WindowModel.ALIGNED
        ? limit.parametersAt(now).windowEnd(now) - now
        : Long.MAX_VALUE;
  }

  private double permitsPerMicro() {
    return (double) limit.parameters().permits() / limit.parameters().periodMicros();
  }

  /** The permits that can be spent now. */
  long available(long now) {
    return now >= expiresAt ? 0 : chargedUnspent(now);
  }

  /** The permits that are still charged in the store and not spent. */
  private long chargedUnspent(long now) {
    if (limit.windowModel() == WindowModel.CONTINUOUS) {
      countExpired(now);
    }
    return Math.max(0, unspent - (long) Math.ceil(expiredPermits));
  }

  /** Advances the refill; permits refilled into a bucket full without the lease expire. */
  private void countExpired(long now) {
    double back = Math.max(0, now - expiryCountedUntil) * permitsPerMicro();
    expiredPermits += Math.max(0, back - usedByOthers);
    usedByOthers = Math.max(0, usedByOthers - back);
    expiryCountedUntil = Math.max(expiryCountedUntil, now);
  }

  /** Spends permits, which must be available; returns the outcome as the store would have. */
  ClaimOutcome spend(long cost, long now) {
    long position = granted - unspent;
    unspent -= cost;
    usedByOthers += cost;
    lastSpentAt = now;
    long passed = now - requestedAt;
    long wait = delay > 0 || position > 0 ? delay + queueDelay(position) - passed : 0;
    long remaining = remainingInStore + available(now);
    return new ClaimOutcome(
        true, false, remaining, Math.max(0, reset - passed), Math.max(0, wait), chargedAt, true);
  }

  /** How long a queue takes to release that many permits. */
  private long queueDelay(long permits) {
    return limit.algorithm().delaysRequests()
        ? limit.parameters().drainTime(permits * limit.parameters().unitsPerPermit())
        : 0;
  }

  /** The time at which a refund of that many permits must be dated. */
  long chargedAt(long permits) {
    return limit.algorithm().chargedAt(limit.parameters(), chargedAt, reset, permits);
  }

  /** Puts back spent permits that were not used after all. */
  void putBack(long cost) {
    unspent += cost;
    usedByOthers = Math.max(0, usedByOthers - cost);
  }

  /** The permits to refund to the store when the lease ends. */
  long permitsToReturn(long now) {
    return chargedUnspent(now);
  }

  /** The permits that the store granted. */
  long granted() {
    return granted;
  }

  /** The permits to charge again with a new date when the lease has ended; 0 if none. */
  long permitsToRecharge() {
    return isTrailing(limit) ? granted - unspent : 0;
  }

  /** The date of that charge: the store's time of the last spending, or a little later. */
  long rechargeTime() {
    return chargedAt + lastSpentAt - requestedAt;
  }

  /** Whether all spent permits have left the log by now. */
  boolean isForgotten(long now) {
    return now - lastSpentAt >= limit.parameters().periodMicros();
  }
}
