/**
 * Fixed window.
 *
 * <p><b>Formula.</b> Time is cut into windows of {@code period}, aligned to the epoch; each window
 * admits {@code permits}.
 *
 * <p><b>Bound.</b> Any stretch of one period admits at most 2 × {@code permits}: a burst at the end
 * of one window and another at the beginning of the next both pass. With a cool-down those two are
 * at least that far apart.
 *
 * <p><b>When.</b> Quotas people think of in calendar terms, and compatibility with other limiters.
 */
package io.weir.algorithm.fixedwindow;
