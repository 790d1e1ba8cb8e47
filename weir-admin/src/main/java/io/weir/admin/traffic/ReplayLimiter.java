package io.weir.admin.traffic;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;

/**
 * A real limiter that decides requests of the past, with a clock set to the time of each request.
 * Its counters are fresh and in memory. Not thread-safe.
 */
public final class ReplayLimiter implements AutoCloseable {
  private static final long STORE_BYTES = 64L << 20;

  private final ReplayClock clock = new ReplayClock();
  private final Limiter limiter;

  public ReplayLimiter(RuleSet rules) {
    limiter = Weir.limiter(rules).store(new MemoryStore(clock, STORE_BYTES)).clock(clock).build();
  }

  /**
   * Decides a request.
   *
   * @param micros its time, in microseconds since the epoch
   */
  public Decision decideAt(long micros, Request request) {
    clock.micros = micros;
    return limiter.decideNow(request);
  }

  @Override
  public void close() {
    limiter.close();
  }

  /** A clock set to the time of the current request. */
  private static final class ReplayClock implements Clock {
    private volatile long micros;

    @Override
    public long micros() {
      return micros;
    }
  }
}
