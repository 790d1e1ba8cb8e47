package io.weir.store;

/** Tells the time in microseconds since the epoch; injected wherever Weir needs to know it. */
@FunctionalInterface
public interface Clock {

  long micros();

  /**
   * The same moment by the wall clock, which others may set: all that two runs of a program have in
   * common. Equal to {@link #micros} unless a clock goes its own way.
   */
  default long wallMicros() {
    return micros();
  }

  /**
   * This machine's clock, one for the whole JVM. It runs by the monotonic timer, never steps back,
   * and follows the wall clock, which it compares itself with at most every 100 ms: a difference is
   * made up for by running faster or slower by at most 0.5 % (5 ms a second); if the wall clock is
   * more than a second ahead, at two checks in a row, the clock steps forward to it.
   */
  static Clock system() {
    return SystemClock.INSTANCE;
  }

  /**
   * A stopwatch for durations and deadlines: the monotonic timer since this call, never corrected.
   * Its times are not the epoch's; only those of the same clock can be compared.
   */
  static Clock monotonic() {
    long origin = System.nanoTime();
    return () -> (System.nanoTime() - origin) / 1000;
  }

  /** This machine's wall clock, which others may set. */
  static Clock wall() {
    return () -> SystemClock.wallNanos() / 1000;
  }
}
