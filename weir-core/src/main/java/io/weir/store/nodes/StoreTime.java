package io.weir.store.nodes;

import io.weir.store.Clock;
import io.weir.store.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The shared store's time, as this node knows it from the answers it gets.
 *
 * <p>An answer was given before it arrived, so the store's clock shows at least what the answer
 * says: of all answers the one that says most is nearest the truth, and none says too much. So what
 * was used here is never dated later than the store can have known it. Against a clock that runs
 * faster than the store's, what was heard is believed less with time; slowly, so that once it is
 * known this time never steps back. Safe for any number of threads.
 */
final class StoreTime implements Clock {
  /** No two clocks drift apart faster than by the thousandth part. */
  private static final long DRIFT = 1000;

  private final Clock clock;
  private volatile @Nullable Estimate estimate;

  /**
   * How far the store's clock is ahead of this node's.
   *
   * @param ahead as of {@code since}, by this node's clock
   * @param last what the last answer said, towards which it falls
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

  /** Takes in the time of an answer that has just come. */
  synchronized void heard(Outcome answer) {
    if (!answer.degraded()) {
      Estimate known = estimate;
      long now = clock.micros();
      long said = answer.time() - now;
      long ahead = known == null ? said : Math.max(said, known.at(now));
      estimate = new Estimate(ahead, said, now);
    }
  }
}
