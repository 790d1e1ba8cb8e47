package io.weir.internal.algorithm.leakybucket;

import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.tokenbucket.TokenBucket;

/**
 * A leaky bucket used as a queue: requests leave at a constant rate, and requests that would
 * overflow it are refused.
 *
 * <p>The permits a token bucket counts as used are the permits in the queue here, so the arithmetic
 * is the same. In addition, an admitted request gets the delay caused by the requests ahead.
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
  public long delay(LimitParameters params, CounterState state, long now) {
    return state.used == 0 ? 0 : Math.max(0, params.drainTime(state.used) - (now - state.time));
  }
}
