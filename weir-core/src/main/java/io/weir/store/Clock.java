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
    long timer = System.nanoTime();
    long offset = wall.getEpochSecond() * 1_000_000_000 + wall.getNano() - timer;
    return () -> (offset + System.nanoTime()) / 1000;
  }

  /** This machine's wall clock, which others may set. */
  static Clock wall() {
    return () -> {
      Instant now = Instant.now();
      return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    };
  }
}
