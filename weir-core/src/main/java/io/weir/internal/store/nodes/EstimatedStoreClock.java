package io.weir.internal.store.nodes;

import io.weir.internal.store.ClaimOutcome;
import io.weir.store.Clock;
import org.jspecify.annotations.Nullable;

/**
 * A clock that estimates the shared store's time from the answers of the store.
 *
 * <p>The store decided after the request was sent and before its answer arrived. So each answer
 * gives a lower and an upper bound of the offset of the store's clock from this node's. The
 * estimate is the highest lower bound, which is the most accurate and never too late: permits used
 * here are not dated later than the store's own time. In case this node's clock is faster than the
 * store's, an old bound decreases by one part in a thousand, the maximum drift between two clocks.
 *
 * <p>An estimate above the upper bound of an answer means that the store's clock was set back. The
 * estimate follows at once: a view in the store's future would count the step as time in which
 * permits are refilled. Safe for any number of threads.
 */
final class EstimatedStoreClock implements Clock {
  private static final long DRIFT_DIVISOR = 1000;

  private final Clock clock;
  private volatile @Nullable ClockOffset estimate;

  /**
   * How far the store's clock is ahead of this node's.
   *
   * @param ahead as of {@code since}, by this node's clock
   * @param lowerBound the lower bound of the last answer, towards which the offset decreases
   */
  private record ClockOffset(long ahead, long lowerBound, long since) {
    long at(long now) {
      return Math.max(lowerBound, ahead - Math.max(0, now - since) / DRIFT_DIVISOR);
    }
  }

  EstimatedStoreClock(Clock clock) {
    this.clock = clock;
  }

  /** The store's time; this node's own time until there is an answer. */
  @Override
  public long micros() {
    ClockOffset current = estimate;
    long now = clock.micros();
    return current == null ? now : now + current.at(now);
  }

  /** Whether there was an answer to estimate from. */
  boolean hasEstimate() {
    return estimate != null;
  }

  /**
   * Updates the estimate from an answer that has just arrived.
   *
   * @param sent when the request was sent, by this node's clock
   */
  synchronized void update(ClaimOutcome answer, long sent) {
    if (!answer.degraded()) {
      ClockOffset current = estimate;
      long now = clock.micros();
      long lower = answer.time() - now;
      long upper = answer.time() - sent;
      long ahead = current == null ? lower : Math.min(upper, Math.max(lower, current.at(now)));
      estimate = new ClockOffset(ahead, lower, now);
    }
  }
}
