package io.weir.web;

import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A warning that callers can cause at will, logged at most once a minute with the number of times
 * it occurred. Safe for any number of threads.
 */
public final class ThrottledWarning {
  private static final long LOG_INTERVAL_MICROS = 60_000_000;

  private final Logger logger;
  private final Clock clock;
  private final AtomicLong occurrences = new AtomicLong();
  private final AtomicLong nextLogMicros = new AtomicLong(Long.MIN_VALUE);

  public ThrottledWarning(Logger log, Clock clock) {
    this.logger = log;
    this.clock = clock;
  }

  /** Counts an occurrence, and logs it unless one was logged within the last minute. */
  public void log(String message) {
    occurrences.incrementAndGet();
    long now = clock.micros();
    long next = nextLogMicros.get();
    if (now >= next && nextLogMicros.compareAndSet(next, now + LOG_INTERVAL_MICROS)) {
      logger.log(Level.WARNING, "{0} (occurred {1} times)", message, occurrences.getAndSet(0));
    }
  }
}
