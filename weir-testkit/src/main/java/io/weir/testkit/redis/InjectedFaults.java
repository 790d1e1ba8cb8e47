package io.weir.testkit.redis;

import java.time.Duration;

/** The faults that a proxy applies to the bytes of all its connections. */
final class InjectedFaults {
  private static final long NEVER = -1;

  private long delayMicros;
  private long bytesToDrop;
  private long bytesUntilCut = NEVER;
  private boolean blackhole;
  private byte[] strayBytes = {};
  private boolean replacesNextChunk;
  private boolean held;

  /** The bytes to send for a chunk: inserted bytes, then a range of it; and whether to close. */
  static final class ForwardedBytes {
    final byte[] strayBytes;
    final int from;
    final int to;
    final boolean closesConnection;

    ForwardedBytes(byte[] strays, int from, int to, boolean last) {
      this.strayBytes = strays;
      this.from = from;
      this.to = to;
      this.closesConnection = last;
    }
  }

  synchronized ForwardedBytes bytesToForward(int length) throws InterruptedException {
    while (held) {
      wait();
    }
    if (blackhole || length == 0) {
      return new ForwardedBytes(new byte[0], length, length, false);
    }
    byte[] before = strayBytes;
    int from = replacesNextChunk ? length : (int) Math.min(bytesToDrop, length);
    bytesToDrop -= replacesNextChunk ? 0 : from;
    strayBytes = new byte[0];
    replacesNextChunk = false;
    if (bytesUntilCut == NEVER || from == length) {
      return new ForwardedBytes(before, from, length, false);
    }
    int to = from + (int) Math.min(bytesUntilCut, length - from);
    bytesUntilCut -= to - from;
    boolean last = bytesUntilCut == 0;
    if (last) {
      bytesUntilCut = NEVER;
    }
    return new ForwardedBytes(before, from, to, last);
  }

  synchronized long delayMicros() {
    return delayMicros;
  }

  synchronized boolean blackhole() {
    return blackhole;
  }

  synchronized void delayReplies(Duration delay) {
    delayMicros = delay.toNanos() / 1000;
  }

  synchronized void holdReplies(boolean enabled) {
    held = enabled;
    notifyAll();
  }

  synchronized void dropBytes(long bytes) {
    bytesToDrop = bytes;
  }

  /**
   * @param replace whether the bytes replace the next chunk instead of preceding it
   */
  synchronized void insert(byte[] bytes, boolean replace) {
    strayBytes = bytes.clone();
    replacesNextChunk = replace;
  }

  synchronized void cutAfter(long bytes) {
    bytesUntilCut = bytes;
  }

  synchronized void blackhole(boolean enabled) {
    blackhole = enabled;
  }
}
