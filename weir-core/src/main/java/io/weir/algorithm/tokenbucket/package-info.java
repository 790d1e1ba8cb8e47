/**
 * Token bucket, the default.
 *
 * <p><b>Formula.</b> A bucket of {@code burst} permits refills continuously at {@code permits} per
 * {@code period}; a request is admitted if its cost is in the bucket.
 *
 * <p><b>Bound.</b> Any stretch of time d admits at most {@code burst + permits × d / period}.
 * Reservations that are cancelled, those ahead of others first, may admit one {@code burst} more in
 * a stretch, never more in the long run.
 *
 * <p><b>When.</b> Nearly always: short bursts are welcome, the long run is held, and a caller that
 * pauses is rewarded at once.
 */
package io.weir.algorithm.tokenbucket;
