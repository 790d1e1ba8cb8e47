package io.weir.bench;

import java.util.concurrent.atomic.AtomicLong;

/** The minimal limiter: GCRA on one AtomicLong. */
final class AtomicGcra extends AtomicLong {

  AtomicGcra() {
    super(Long.MIN_VALUE / 2);
  }

  boolean tryAcquire(long intervalNanos, long burstNanos) {
    long now = System.nanoTime();
    while (true) {
      long tat = get();
      long next = Math.max(tat, now) + intervalNanos;
      if (next - now > burstNanos) {
        return false;
      }
      if (compareAndSet(tat, next)) {
        return true;
      }
    }
  }
}
