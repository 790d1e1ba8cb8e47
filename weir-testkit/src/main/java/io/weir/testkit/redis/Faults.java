package io.weir.testkit.redis;

import java.time.Duration;

/** What a proxy does to the bytes that pass it, over all its connections. */
final class Faults {
  private static final long NEVER = -1;

  private long delayMicros;
  private long skip;
  private long cut = NEVER;
  private boolean blackhole;
  private byte[] strays = {};
  private boolean instead;
  private boolean held;

  /** What goes to the client for a chunk: strays, and a part of it; and whether that is the end. */
  static final class Share {
    final byte[] strays;
    final int from;
    final int to;
    final boolean last;

    Share(byte[] strays, int from, int to, boolean last) {
      this.strays = strays;
      this.from = from;
      this.to = to;
      this.last = last;
    }
  }

  synchronized Share share(int length) throws InterruptedException {
    while (held) {
      wait();
    }
    if (blackhole || length == 0) {
      return new Share(new byte[0], length, length, false);
    }
    byte[] before = strays;
    int from = instead ? length : (int) Math.min(skip, length);
    skip -= instead ? 0 : from;
    strays = new byte[0];
    instead = false;
    if (cut == NEVER || from == length) {
      return new Share(before, from, length, false);
    }
    int to = from + (int) Math.min(cut, length - from);
    cut -= to - from;
    boolean last = cut == 0;
    if (last) {
      cut = NEVER;
    }
    return new Share(before, from, to, last);
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

  synchronized void hold(boolean on) {
    held = on;
    notifyAll();
  }

  synchronized void skip(long bytes) {
    skip = bytes;
  }

  /**
   * @param replace whether the next chunk does not follow them
   */
  synchronized void insert(byte[] bytes, boolean replace) {
    strays = bytes.clone();
    instead = replace;
  }

  synchronized void cutAfter(long bytes) {
    cut = bytes;
  }

  synchronized void blackhole(boolean on) {
    blackhole = on;
  }
}
