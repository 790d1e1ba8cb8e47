/**
 * Sliding log.
 *
 * <p><b>Formula.</b> Every charge is remembered for one {@code period}; a request is admitted if
 * the charges remembered and its cost are at most {@code permits}.
 *
 * <p><b>Bound.</b> No trailing window of one period ever holds more than {@code permits}.
 *
 * <p><b>When.</b> Few permits that must be counted exactly, such as logins; memory grows with the
 * limit, which is at most 2,000.
 */
package io.weir.algorithm.slidinglog;
