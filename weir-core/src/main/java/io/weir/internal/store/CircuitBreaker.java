package io.weir.internal.store;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A circuit breaker: opens when a store has stopped answering and then admits only periodic probes.
 * Times are microseconds of one clock. Safe for any number of threads.
 */
public final class CircuitBreaker {
  private static final int MIN_FAILURES = 5;

  private final long openAfterMicros;
  private final long probeIntervalMicros;
  private final AtomicLong nextProbeAt = new AtomicLong();
  private volatile int failures;
  private volatile boolean open;
  private boolean retired;
  private long failingSince;

  /**
   * @param openAfterMicros how long there must have been nothing but failures before it opens
   * @param probeIntervalMicros how often a request is admitted while it is open
   */
  public CircuitBreaker(long openAfterMicros, long probeIntervalMicros) {
    this.openAfterMicros = openAfterMicros;
    this.probeIntervalMicros = probeIntervalMicros;
  }

  /** Whether a request may be sent now; while open, true for one probe per interval. */
  public boolean allowRequest(long now) {
    if (!open) {
      return true;
    }
    long at = nextProbeAt.get();
    return now >= at && nextProbeAt.compareAndSet(at, now + probeIntervalMicros);
  }

  public boolean isOpen() {
    return open;
  }

  /** Records a success; returns true if it closed the open circuit breaker. */
  public boolean recordSuccess() {
    return failures != 0 && close();
  }

  private synchronized boolean close() {
    boolean wasOpen = open;
    failures = 0;
    open = false;
    return wasOpen;
  }

  /** Records a failure; returns true if it opened the circuit breaker. */
  public synchronized boolean recordFailure(long now) {
    if (failures == 0) {
      failingSince = now;
    }
    failures = Math.min(failures + 1, MIN_FAILURES);
    if (open || retired || failures < MIN_FAILURES || now - failingSince < openAfterMicros) {
      return false;
    }
    open = true;
    nextProbeAt.set(now + probeIntervalMicros);
    return true;
  }

  /** Closes it permanently: failures from now on are ignored. */
  public synchronized void closePermanently() {
    retired = true;
    open = false;
  }

  /** How long there have been nothing but failures. */
  public synchronized long failingMicros(long now) {
    return now - failingSince;
  }
}
