package io.weir.server.web;

import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A warning that callers can cause at will, logged at most once a minute with the number of times
 * it occurred. Safe for any number of threads.
 */
public final class ThrottledWarning {
  private static final long INTERVAL_MICROS = 60_000_000;

  private final Logger log;
  private final Clock clock;
  private final AtomicLong occurred = new AtomicLong();
  private final AtomicLong nextAt = new AtomicLong(Long.MIN_VALUE);

  public ThrottledWarning(Logger log, Clock clock) {
    this.log = log;
    this.clock = clock;
  }

  /** Counts an occurrence, and logs it unless one was logged within the last minute. */
  public void log(String message) {
    occurred.incrementAndGet();
    long now = clock.micros();
    long next = nextAt.get();
    if (now >= next && nextAt.compareAndSet(next, now + INTERVAL_MICROS)) {
      log.log(Level.WARNING, "{0} (occurred {1} times)", message, occurred.getAndSet(0));
    }
  }
}
