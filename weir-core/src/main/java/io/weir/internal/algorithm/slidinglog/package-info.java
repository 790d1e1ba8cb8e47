/**
 * Sliding log.
 *
 * <p><b>Formula.</b> Every charge is stored for one {@code period}; a request is admitted if the
 * sum of the stored charges and its cost is at most {@code permits}.
 *
 * <p><b>Bound.</b> No trailing window of one period ever admits more than {@code permits}.
 *
 * <p><b>Use it for</b> small limits that must be counted exactly, such as logins. Memory grows with
 * the limit, which is at most 2,000.
 */
package io.weir.internal.algorithm.slidinglog;
