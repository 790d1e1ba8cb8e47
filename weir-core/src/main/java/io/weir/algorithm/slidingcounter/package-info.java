/**
 * Sliding counter.
 *
 * <p><b>Formula.</b> {@code estimate = before × (part of the window before still covered) + used};
 * a request is admitted if the estimate, rounded up, and its cost are at most {@code permits}.
 *
 * <p><b>Bound.</b> The estimate is exact when the window before was used evenly; in the worst case
 * a stretch of one period admits less than 2 × {@code permits}, and two windows never more than 2
 * ×.
 *
 * <p><b>When.</b> A trailing window for many callers in constant memory.
 */
package io.weir.algorithm.slidingcounter;
