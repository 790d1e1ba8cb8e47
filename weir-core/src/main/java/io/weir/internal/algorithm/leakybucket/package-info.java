/**
 * Leaky bucket, as a queue.
 *
 * <p><b>Formula.</b> Admitted requests leave the queue at {@code permits} per {@code period}. The
 * decision contains the delay caused by the requests ahead. A request that finds {@code burst}
 * permits in the queue is refused.
 *
 * <p><b>Bound.</b> Requests that honor their delay proceed at the rate, never in a burst. At most
 * {@code burst + permits × d / period} are admitted in any interval of length d. Canceling
 * reservations that are ahead of others may admit one {@code burst} more in an interval, but never
 * more in the long run.
 *
 * <p><b>Use it for</b> backends that need a steady stream, such as legacy systems or partner
 * quotas.
 */
package io.weir.internal.algorithm.leakybucket;
