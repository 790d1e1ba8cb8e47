/**
 * Fixed window.
 *
 * <p><b>Formula.</b> Time is divided into windows of {@code period}, aligned to the epoch; each
 * window admits {@code permits}.
 *
 * <p><b>Bound.</b> Any interval of one period admits at most 2 × {@code permits}: a burst at the
 * end of one window and another at the start of the next are both admitted. With a cool-down, these
 * two are at least the cool-down apart.
 *
 * <p><b>Use it for</b> quotas per calendar unit, and for compatibility with other rate limiters.
 */
package io.weir.internal.algorithm.fixedwindow;
