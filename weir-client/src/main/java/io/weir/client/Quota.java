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
final class Quota {
  private static final long FREE_ABOVE = 4;
  private static final long SPREAD_PART = 10;

  private final DoubleSupplier random;
  private long limit;
  private long window;
  private long left;
  private long resetAt;
  private long spread;
  private long takenAt;
  private double stretch = 1;
  private int underWay;

  /**
   * @param random between 0 and 1
   */
  Quota(DoubleSupplier random) {
    this.random = random;
  }

  /** When the next call may go. */
  long earliest(long now) {
    if (left < 1) {
      return Math.max(now, resetAt + spread);
    }
    if (now >= resetAt || left > limit / FREE_ABOVE) {
      return now;
    }
    return Math.max(now, takenAt + (long) ((resetAt - takenAt) / (left + 1.0) * stretch));
  }

  /** How long the next call after an admitted one waits, about. */
  long gap(long now) {
    return now >= resetAt || left > limit / FREE_ABOVE ? 0 : (resetAt - now) / (left + 1);
  }

  /** Lets a call go. */
  void take(long now) {
    if (now >= resetAt) {
      left = 1;
      expect(now + window, now);
    }
    left = Math.max(0, left - 1);
    underWay++;
    takenAt = now;
    stretch = 1 + random.getAsDouble() / SPREAD_PART;
  }

  /** A call that was let go is answered. */
  void answered() {
    underWay--;
  }

  /** A call that was let go did not arrive, or nobody knows. */
  void unanswered() {
    underWay--;
    left++;
  }

  /** Learns what an answer says; calls under way may not be counted in it. */
  void read(Reading reading, long now) {
    left = Math.max(0, reading.left() - underWay);
    limit = reading.limit() > 0 ? reading.limit() : Math.max(limit, reading.left() + 1);
    window = Math.max(reading.window(), reading.reset());
    expect(now + reading.reset(), now);
  }

  /** Whether it may be forgotten. */
  boolean isIdle(long now) {
    return underWay == 0 && now >= resetAt + spread;
  }

  /** Other clients wait for the same moment; not all should come at it. */
  private void expect(long at, long now) {
    resetAt = at;
    spread = (long) ((at - now) * random.getAsDouble()) / SPREAD_PART;
  }
}
