package io.weir.store.nodes;

import io.weir.store.Clock;
import io.weir.store.Outcome;
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
final class StoreTime implements Clock {
  private static final long DRIFT = 1000;

  private final Clock clock;
  private volatile @Nullable Estimate estimate;

  /**
   * How far the store's clock is ahead of this node's.
   *
   * @param ahead as of {@code since}, by this node's clock
   * @param last the lower bound of the last answer, towards which it falls
   */
  private record Estimate(long ahead, long last, long since) {
    long at(long now) {
      return Math.max(last, ahead - Math.max(0, now - since) / DRIFT);
    }
  }

  StoreTime(Clock clock) {
    this.clock = clock;
  }

  /** This node's own time, as long as no answer was heard. */
  @Override
  public long micros() {
    Estimate known = estimate;
    long now = clock.micros();
    return known == null ? now : now + known.at(now);
  }

  /** Whether any answer was heard. */
  boolean isKnown() {
    return estimate != null;
  }

  /**
   * Learns from an answer that has just arrived.
   *
   * @param sent when it was asked for, by this node's clock
   */
  synchronized void heard(Outcome answer, long sent) {
    if (!answer.degraded()) {
      Estimate known = estimate;
      long now = clock.micros();
      long least = answer.time() - now;
      long most = answer.time() - sent;
      long ahead = known == null ? least : Math.min(most, Math.max(least, known.at(now)));
      estimate = new Estimate(ahead, least, now);
    }
  }
}
