package io.weir.store;

import java.time.Instant;

/** Tells the time in microseconds since the epoch; injected wherever Weir needs to know it. */
@FunctionalInterface
public interface Clock {

  long micros();

  /**
   * This machine's clock: the wall clock when this is called, moved on by the monotonic timer, so
   * that it never steps back.
   */
  static Clock system() {
    Instant wall = Instant.now();
    long start = System.nanoTime();
    long nanos = wall.getNano() - start % 1000; // ticks fall on whole microseconds of the timer
    long epoch = wall.getEpochSecond() * 1_000_000 + nanos / 1000 - start / 1000;
    return () -> epoch + System.nanoTime() / 1000;
  }
}
