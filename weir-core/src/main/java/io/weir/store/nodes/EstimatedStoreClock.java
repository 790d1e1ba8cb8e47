package io.weir.store.nodes;

import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The shared store's time, estimated from the answers this node gets.
 *
 * <p>The store decided after it was asked and before its answer arrived. So each answer gives a
 * lower and an upper bound of how far the store's clock is ahead of this node's. The estimate is
 * the highest lower bound, which is nearest the truth and never too late: permits used here are not
 * dated later than the store's own time. Against a node's clock that is faster than the store's, an
 * old bound loses one part in a thousand, the most that two clocks drift apart.
 *
 * <p>An estimate above the upper bound of an answer means that the store's clock was set back. It
 * is followed at once: a view that stayed in the store's future would count the step as time in
 * which permits come back. Safe for any number of threads.
 */
final class EstimatedStoreClock implements Clock {
  private static final long DRIFT_DIVISOR = 1000;

  private final Clock clock;
  private volatile @Nullable ClockOffset estimate;

  /**
   * How far the store's clock is ahead of this node's.
   *
   * @param ahead as of {@code since}, by this node's clock
   * @param lowerBound the lower bound of the last answer, towards which it falls
   */
  private record ClockOffset(long ahead, long lowerBound, long since) {
    long at(long now) {
      return Math.max(lowerBound, ahead - Math.max(0, now - since) / DRIFT_DIVISOR);
    }
  }

  EstimatedStoreClock(Clock clock) {
    this.clock = clock;
  }

  /** This node's own time, as long as no answer was heard. */
  @Override
  public long micros() {
    ClockOffset known = estimate;
    long now = clock.micros();
    return known == null ? now : now + known.at(now);
  }

  /** Whether any answer was heard. */
  boolean hasEstimate() {
    return estimate != null;
  }

  /**
   * Learns from an answer that has just arrived.
   *
   * @param sent when it was asked for, by this node's clock
   */
  synchronized void update(ClaimOutcome answer, long sent) {
    if (!answer.degraded()) {
      ClockOffset known = estimate;
      long now = clock.micros();
      long least = answer.time() - now;
      long most = answer.time() - sent;
      long ahead = known == null ? least : Math.min(most, Math.max(least, known.at(now)));
      estimate = new ClockOffset(ahead, least, now);
    }
  }
}
