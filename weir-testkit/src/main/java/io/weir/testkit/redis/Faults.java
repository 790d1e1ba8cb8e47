package io.weir.testkit.redis;

import java.time.Duration;

/** What a proxy does to the bytes that pass it, over all its connections. */
final class Faults {
  private static final long NEVER = -1;

  private long delayMicros;
  private long skip;
  private long cut = NEVER;
  private boolean blackhole;

  /** The part of a chunk that goes on to the client, and whether the connection ends after it. */
  record Share(int from, int to, boolean last) {}

  synchronized Share share(int length) {
    if (blackhole) {
      return new Share(length, length, false);
    }
    int from = (int) Math.min(skip, length);
    skip -= from;
    if (cut == NEVER || from == length) {
      return new Share(from, length, false);
    }
    int to = from + (int) Math.min(cut, length - from);
    cut -= to - from;
    boolean last = cut == 0;
    if (last) {
      cut = NEVER;
    }
    return new Share(from, to, last);
  }

  synchronized long delayMicros() {
    return delayMicros;
  }

  synchronized boolean blackhole() {
    return blackhole;
  }

  synchronized void delay(Duration each) {
    delayMicros = each.toNanos() / 1000;
  }

  synchronized void skip(long bytes) {
    skip = bytes;
  }

  synchronized void cutAfter(long bytes) {
    cut = bytes;
  }

  synchronized void blackhole(boolean on) {
    blackhole = on;
  }
}
