/**
 * Sliding counter.
 *
 * <p><b>Formula.</b> {@code estimate = previous × (fraction of the previous window still covered) +
 * used}; a request is admitted if the estimate, rounded up, and its cost are at most {@code
 * permits}.
 *
 * <p><b>Bound.</b> The estimate is exact if the previous window was used evenly. In the worst case
 * an interval of one period admits less than 2 × {@code permits}, and two windows together never
 * more than 2 × {@code permits}.
 *
 * <p><b>Use it for</b> a trailing window for many callers in constant memory.
 */
package io.weir.internal.algorithm.slidingcounter;
