package io.weir.store.nodes;

import io.weir.store.Clock;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells whether the shared store is slow at present: several answers one after the other took
 * longer than the threshold, and since then not as many came in time, nor did a second pass without
 * a late one. While it is, one asks it only now and then. Safe for any number of threads.
 */
final class LatencySpikeDetector {
  private static final int CONSECUTIVE_ANSWERS = 3;
  private static final long PROBE_INTERVAL_MICROS = 20_000;
  private static final long SPIKE_TIMEOUT_MICROS = 1_000_000;

  private final Clock clock;
  private final long thresholdMicros;
  private final AtomicInteger consecutiveSlow = new AtomicInteger();
  private final AtomicInteger consecutiveFast = new AtomicInteger(CONSECUTIVE_ANSWERS);
  private final AtomicLong nextProbeAt = new AtomicLong();
  private volatile long lastSlowAt;
  private volatile boolean inSpike;

  /**
   * @param threshold in microseconds
   */
  LatencySpikeDetector(Clock clock, long threshold) {
    this.clock = clock;
    this.thresholdMicros = threshold;
  }

  /**
   * Whether to answer without the store; now and then false during a spike, to see if it is over.
   */
  boolean shouldBypassStore() {
    if (!inSpike) {
      return false;
    }
    long now = clock.micros();
    if (now - lastSlowAt > SPIKE_TIMEOUT_MICROS) {
      inSpike = false;
      return false;
    }
    long at = nextProbeAt.get();
    return now < at || !nextProbeAt.compareAndSet(at, now + PROBE_INTERVAL_MICROS);
  }

  /** Notes an answer to what was asked when the clock showed {@code sent}. */
  void recordAnswer(long sent, boolean degraded) {
    long now = clock.micros();
    if (degraded || now - sent > thresholdMicros) {
      lastSlowAt = now;
      consecutiveFast.set(0);
      if (consecutiveSlow.incrementAndGet() >= CONSECUTIVE_ANSWERS && !inSpike) {
        nextProbeAt.set(now + PROBE_INTERVAL_MICROS);
        inSpike = true;
      }
    } else {
      consecutiveSlow.set(0);
      if (inSpike && consecutiveFast.incrementAndGet() >= CONSECUTIVE_ANSWERS) {
        inSpike = false;
      }
    }
  }
}
