package io.weir.client;

import java.util.function.DoubleSupplier;

/**
 * Tracks one limit of a service and computes when the next call may be sent. Times are in
 * microseconds of one clock. Guarded by the monitor of its {@link ServiceState}.
 *
 * <p>While more than a quarter of the permits remain, calls are not delayed. Below that, the
 * remaining permits are spread evenly over the time until the reset. This works without knowing the
 * algorithm of the service: a window is used up at its end, not earlier; a bucket is kept near a
 * quarter, where calls are sent as fast as it refills; and of several clients sharing a limit, each
 * slows down as the others use it. After the reset only one permit is assumed: one call is sent,
 * and its answer reports the limit again.
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
   * @param random supplies numbers between 0 and 1
   */
  QuotaTracker(DoubleSupplier random) {
    this.random = random;
  }

  /** Returns when the next call may be sent. */
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

  /** Returns the approximate time between calls. */
  long gapMicros(long now) {
    return now >= resetMicros || remaining > limit / UNPACED_DIVISOR
        ? 0
        : (resetMicros - now) / (remaining + 1);
  }

  /** Takes a permit for a call that is sent now. */
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

  /** Called when a call is answered. */
  void onAnswer() {
    inFlight--;
  }

  /** Called when a call is not answered; returns its permit. */
  void onNoAnswer() {
    inFlight--;
    remaining++;
  }

  /** Updates the quota from an answer; calls in flight may not be included in it. */
  void update(LimitSnapshot snapshot, long now) {
    remaining = Math.max(0, snapshot.remaining() - inFlight);
    limit = snapshot.limit() > 0 ? snapshot.limit() : Math.max(limit, snapshot.remaining() + 1);
    windowMicros = Math.max(snapshot.windowMicros(), snapshot.resetMicros());
    setReset(now + snapshot.resetMicros(), now);
  }

  /** Returns whether the quota may be removed. */
  boolean isIdle(long now) {
    return inFlight == 0 && now >= resetMicros + jitterMicros;
  }

  /** Sets the reset with random jitter, because other clients wait for the same time. */
  private void setReset(long at, long now) {
    resetMicros = at;
    jitterMicros = (long) ((at - now) * random.getAsDouble()) / JITTER_DIVISOR;
  }
}
