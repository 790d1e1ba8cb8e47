package io.weir.store;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Notices that a store has stopped answering, and keeps all but a probe now and then from waiting
 * for it. Times are microseconds of one clock. Safe for any number of threads.
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
   * @param patience for how long nothing but failures must have come
   * @param probeEvery how often a lost store is asked all the same
   */
  public CircuitBreaker(long patience, long probeEvery) {
    this.openAfterMicros = patience;
    this.probeIntervalMicros = probeEvery;
  }

  /** Whether the store may be asked now. */
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

  /** Notes an answer; true if it is the first after the store was lost. */
  public boolean recordSuccess() {
    return failures != 0 && close();
  }

  private synchronized boolean close() {
    boolean was = open;
    failures = 0;
    open = false;
    return was;
  }

  /** Notes a failure; true if with it the store is lost. */
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

  /** Makes it closed for good: what fails from now on is nobody's concern. */
  public synchronized void closePermanently() {
    retired = true;
    open = false;
  }

  /** How long the store has been failing. */
  public synchronized long failingMicros(long now) {
    return now - failingSince;
  }
}
