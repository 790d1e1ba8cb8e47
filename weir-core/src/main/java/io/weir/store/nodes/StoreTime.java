package io.weir.store.nodes;

import io.weir.store.Clock;
import io.weir.store.Outcome;

/** The shared store's time, as this node knows it from the answers it gets. */
final class StoreTime implements Clock {
  private static final int STEADY = 8;

  private final Clock clock;
  private volatile boolean known;
  private volatile long ahead;

  StoreTime(Clock clock) {
    this.clock = clock;
  }

  @Override
  public long micros() {
    return clock.micros() + ahead;
  }

  /** Takes in the time of an answer to what was asked when the node's clock showed {@code sent}. */
  void heard(Outcome answer, long sent) {
    if (!answer.degraded()) {
      long sample = answer.time() - (sent + clock.micros()) / 2;
      ahead = known ? ahead + (sample - ahead) / STEADY : sample;
      known = true;
    }
  }
}
