package io.weir.store;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Notices that a store has stopped answering, and keeps all but a probe now and then from waiting
 * for it. Times are microseconds of one clock. Safe for any number of threads.
 */
public final class Breaker {
  private static final int FEWEST_FAILURES = 5;

  private final long patience;
  private final long probeEvery;
  private final AtomicLong nextProbe = new AtomicLong();
  private volatile int failures;
  private volatile boolean open;
  private boolean retired;
  private long failingSince;

  /**
   * @param patience for how long nothing but failures must have come
   * @param probeEvery how often a lost store is asked all the same
   */
  public Breaker(long patience, long probeEvery) {
    this.patience = patience;
    this.probeEvery = probeEvery;
  }

  /** Whether the store may be asked now. */
  public boolean admits(long now) {
    if (!open) {
      return true;
    }
    long at = nextProbe.get();
    return now >= at && nextProbe.compareAndSet(at, now + probeEvery);
  }

  public boolean isOpen() {
    return open;
  }

  /** Notes an answer; true if it is the first after the store was lost. */
  public boolean answered() {
    return failures != 0 && close();
  }

  private synchronized boolean close() {
    boolean was = open;
    failures = 0;
    open = false;
    return was;
  }

  /** Notes a failure; true if with it the store is lost. */
  public synchronized boolean failed(long now) {
    if (failures == 0) {
      failingSince = now;
    }
    failures = Math.min(failures + 1, FEWEST_FAILURES);
    if (open || retired || failures < FEWEST_FAILURES || now - failingSince < patience) {
      return false;
    }
    open = true;
    nextProbe.set(now + probeEvery);
    return true;
  }

  /** Makes it closed for good: what fails from now on is nobody's concern. */
  public synchronized void retire() {
    retired = true;
    open = false;
  }

  /** How long the store has been failing. */
  public synchronized long failingFor(long now) {
    return now - failingSince;
  }
}
