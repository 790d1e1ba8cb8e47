package io.weir.internal.store.nodes;

import io.weir.store.Clock;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Detects latency spikes of the shared store. A spike begins when several consecutive answers took
 * longer than the threshold, and ends after as many consecutive answers in time, or after a second
 * without a late answer. During a spike the store is called only periodically. Safe for any number
 * of threads.
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
   * @param thresholdMicros the latency above which an answer is late
   */
  LatencySpikeDetector(Clock clock, long thresholdMicros) {
    this.clock = clock;
    this.thresholdMicros = thresholdMicros;
  }

  /**
   * Whether to decide without the store. During a spike this is false once per probe interval, to
   * find out whether the spike is over.
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

  /** Records an answer to a request that was sent at that time. */
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
