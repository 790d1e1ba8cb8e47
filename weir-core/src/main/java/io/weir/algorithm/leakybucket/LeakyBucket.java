package io.weir.algorithm.leakybucket;

import io.weir.algorithm.CounterState;
import io.weir.algorithm.LimitParameters;
import io.weir.algorithm.tokenbucket.TokenBucket;

/**
 * A queue that lets requests out at a constant rate and refuses what overflows it.
 *
 * <p>What a token bucket counts as used is what stands in the queue here, so the arithmetic is the
 * token bucket's; in addition an admitted request is told how long those before it will take.
 */
public final class LeakyBucket extends TokenBucket {

  @Override
  public String name() {
    return "leaky-bucket";
  }

  @Override
  public boolean delaysRequests() {
    return true;
  }

  @Override
  public long delay(LimitParameters t, CounterState s, long now) {
    return s.used == 0 ? 0 : Math.max(0, t.drainTime(s.used) - (now - s.time));
  }
}
