package io.weir.store.nodes;

import io.weir.store.Clock;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells whether the shared store is slow at present: several answers one after the other took
 * longer than the threshold, and since then not as many came in time, nor did a second pass without
 * a late one. While it is, one asks it only now and then. Safe for any number of threads.
 */
final class Spikes {
  private static final int IN_A_ROW = 3;
  private static final long PROBE_EVERY = 20_000;
  private static final long FORGOTTEN_AFTER = 1_000_000;

  private final Clock clock;
  private final long threshold;
  private final AtomicInteger slow = new AtomicInteger();
  private final AtomicInteger quick = new AtomicInteger(IN_A_ROW);
  private final AtomicLong nextProbe = new AtomicLong();
  private volatile long lastSlow;
  private volatile boolean lasting;

  /**
   * @param threshold in microseconds
   */
  Spikes(Clock clock, long threshold) {
    this.clock = clock;
    this.threshold = threshold;
  }

  /**
   * Whether to answer without the store; now and then false during a spike, to see if it is over.
   */
  boolean lasts() {
    if (!lasting) {
      return false;
    }
    long now = clock.micros();
    if (now - lastSlow > FORGOTTEN_AFTER) {
      lasting = false;
      return false;
    }
    long at = nextProbe.get();
    return now < at || !nextProbe.compareAndSet(at, now + PROBE_EVERY);
  }

  /** Notes an answer to what was asked when the clock showed {@code sent}. */
  void answered(long sent, boolean degraded) {
    long now = clock.micros();
    if (degraded || now - sent > threshold) {
      lastSlow = now;
      quick.set(0);
      if (slow.incrementAndGet() >= IN_A_ROW && !lasting) {
        nextProbe.set(now + PROBE_EVERY);
        lasting = true;
      }
    } else {
      slow.set(0);
      if (lasting && quick.incrementAndGet() >= IN_A_ROW) {
        lasting = false;
      }
    }
  }
}
