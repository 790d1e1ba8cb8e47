package io.weir.store;

/** A clock in microseconds since the epoch, injected wherever Weir needs the time. */
@FunctionalInterface
public interface Clock {

  /** The current time in microseconds. */
  long micros();

  /**
   * The same moment by the wall clock, which may be set at any time. It is the only time that two
   * runs of a program have in common. Equal to {@link #micros} unless a clock overrides it.
   */
  default long wallMicros() {
    return micros();
  }

  /**
   * This machine's clock, one for the whole JVM. It runs by the monotonic timer, never steps back
   * and follows the wall clock. It compares itself with the wall clock at most every 100 ms and
   * corrects a difference by running faster or slower by at most 0.5 % (5 ms a second). If the wall
   * clock is more than a second ahead at two checks in a row, the clock steps forward to it.
   */
  static Clock system() {
    return SystemClock.INSTANCE;
  }

  /**
   * A stopwatch for durations and deadlines: the monotonic timer since this call, never corrected.
   * Its times do not start at the epoch; only times of the same clock can be compared.
   */
  static Clock monotonic() {
    long origin = System.nanoTime();
    return () -> (System.nanoTime() - origin) / 1000;
  }

  /** This machine's wall clock, which may be set at any time. */
  static Clock wall() {
    return () -> SystemClock.wallNanos() / 1000;
  }
}
