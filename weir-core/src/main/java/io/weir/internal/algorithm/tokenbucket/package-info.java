/**
 * Token bucket, the default.
 *
 * <p><b>Formula.</b> A bucket of {@code burst} permits refills continuously at {@code permits} per
 * {@code period}; a request is admitted if its cost is in the bucket.
 *
 * <p><b>Bound.</b> Any interval of length d admits at most {@code burst + permits × d / period}.
 * Canceling reservations that are ahead of others may admit one {@code burst} more in an interval,
 * but never more in the long run.
 *
 * <p><b>Use it for</b> most limits: it allows short bursts, bounds the long-run rate, and permits
 * become available again as soon as a caller pauses.
 */
package io.weir.internal.algorithm.tokenbucket;
