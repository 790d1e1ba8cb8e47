/**
 * Leaky bucket, as a queue.
 *
 * <p><b>Formula.</b> Admitted requests leave one by one at {@code permits} per {@code period}; an
 * admitted request is told how long those before it take; one that finds {@code burst} permits
 * waiting is refused.
 *
 * <p><b>Bound.</b> Requests that honour their delay come out at the rate, never in a burst; at most
 * {@code burst + permits × d / period} are admitted in any stretch of time d. Reservations that are
 * cancelled, those ahead of others first, may admit one {@code burst} more in a stretch, never more
 * in the long run.
 *
 * <p><b>When.</b> The thing behind must see a steady stream: a legacy backend, a partner's quota.
 */
package io.weir.algorithm.leakybucket;
