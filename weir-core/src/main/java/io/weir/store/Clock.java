package io.weir.store;

import java.time.Instant;

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
   * This machine's clock: the wall clock when this is called, moved on by the monotonic timer, so
   * that it never steps back.
   */
  static Clock system() {
    Clock wall = wall();
    Instant began = Instant.now();
    long timer = System.nanoTime();
    long offset = began.getEpochSecond() * 1_000_000_000 + began.getNano() - timer;
    return new Clock() {
      @Override
      public long micros() {
        return (offset + System.nanoTime()) / 1000;
      }

      @Override
      public long wallMicros() {
        return wall.micros();
      }
    };
  }

  /** This machine's wall clock, which others may set. */
  static Clock wall() {
    return () -> {
      Instant now = Instant.now();
      return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    };
  }
}
