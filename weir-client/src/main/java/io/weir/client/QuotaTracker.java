package io.weir.client;

import java.util.function.DoubleSupplier;

/**
 * What is known of one limit of a host, and when it lets the next call go. Times are microseconds
 * of one clock. Guarded by its host.
 *
 * <p>While more than a quarter is left, calls go as they come. What is left below is spread evenly
 * over the time until all is back. That needs no knowledge of the algorithm behind: a window is
 * used up at its end, not before; a bucket is held near a quarter, where calls go as fast as it
 * fills; and of several clients at one limit each becomes slower as the others use it. Once the
 * time is over nothing is known but that there is room: one call goes, and its answer says more.
 */
final class QuotaTracker {
  private static final long UNPACED_DIVISOR = 4;
  private static final long JITTER_DIVISOR = 10;

  private final DoubleSupplier random;
  private long limit;
  private long windowMicros;
  private long remaining;
  private long resetMicros;
  private long jitterMicros;
  private long lastTakenMicros;
  private double gapFactor = 1;
  private int inFlight;

  /**
   * @param random between 0 and 1
   */
  QuotaTracker(DoubleSupplier random) {
    this.random = random;
  }

  /** When the next call may go. */
  long earliestMicros(long now) {
    if (remaining < 1) {
      return Math.max(now, resetMicros + jitterMicros);
    }
    if (now >= resetMicros || remaining > limit / UNPACED_DIVISOR) {
      return now;
    }
    return Math.max(
        now,
        lastTakenMicros + (long) ((resetMicros - lastTakenMicros) / (remaining + 1.0) * gapFactor));
  }

  /** How long the next call after an admitted one waits, about. */
  long gapMicros(long now) {
    return now >= resetMicros || remaining > limit / UNPACED_DIVISOR
        ? 0
        : (resetMicros - now) / (remaining + 1);
  }

  /** Lets a call go. */
  void take(long now) {
    if (now >= resetMicros) {
      remaining = 1;
      setReset(now + windowMicros, now);
    }
    remaining = Math.max(0, remaining - 1);
    inFlight++;
    lastTakenMicros = now;
    gapFactor = 1 + random.getAsDouble() / JITTER_DIVISOR;
  }

  /** A call that was let go is answered. */
  void onAnswer() {
    inFlight--;
  }

  /** A call that was let go did not arrive, or nobody knows. */
  void onNoAnswer() {
    inFlight--;
    remaining++;
  }

  /** Learns what an answer says; calls under way may not be counted in it. */
  void update(LimitSnapshot reading, long now) {
    remaining = Math.max(0, reading.remaining() - inFlight);
    limit = reading.limit() > 0 ? reading.limit() : Math.max(limit, reading.remaining() + 1);
    windowMicros = Math.max(reading.windowMicros(), reading.resetMicros());
    setReset(now + reading.resetMicros(), now);
  }

  /** Whether it may be forgotten. */
  boolean isIdle(long now) {
    return inFlight == 0 && now >= resetMicros + jitterMicros;
  }

  /** Other clients wait for the same moment; not all should come at it. */
  private void setReset(long at, long now) {
    resetMicros = at;
    jitterMicros = (long) ((at - now) * random.getAsDouble()) / JITTER_DIVISOR;
  }
}
