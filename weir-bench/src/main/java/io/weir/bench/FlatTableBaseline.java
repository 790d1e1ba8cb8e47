package io.weir.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The baseline for a keyed limiter, not for real use: open addressing in one array with a 64-bit
 * hash and a GCRA time per slot, a fixed size, no expiry and a hash without attack resistance.
 */
final class FlatTableBaseline {
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] words;
  private final int mask;

  FlatTableBaseline(int slots) {
    int size = Integer.highestOneBit(Math.max(2, slots - 1)) << 1;
    words = new long[size << 1];
    mask = size - 1;
  }

  boolean tryAcquire(String key, long intervalNanos, long burstNanos) {
    int slot = findSlot(hash(key));
    long now = System.nanoTime();
    while (true) {
      long tat = (long) WORDS.getOpaque(words, slot + 1);
      long next = Math.max(tat, now) + intervalNanos;
      if (next - now > burstNanos) {
        return false;
      }
      if (WORDS.compareAndSet(words, slot + 1, tat, next)) {
        return true;
      }
    }
  }

  private int findSlot(long hash) {
    int slot = ((int) (hash >>> 32) & mask) << 1;
    while (true) {
      long found = (long) WORDS.getAcquire(words, slot);
      if (found == hash
          || (found == 0
              && (WORDS.compareAndSet(words, slot, 0L, hash)
                  || (long) WORDS.getAcquire(words, slot) == hash))) {
        return slot;
      }
      slot = slot + 2 & words.length - 1;
    }
  }

  private static long hash(String key) {
    long h = 0x9E3779B97F4A7C15L;
    for (int i = 0; i < key.length(); i++) {
      h = (h ^ key.charAt(i)) * 0xD6E8FEB86659FD93L;
      h ^= h >>> 29;
    }
    h *= 0xFF51AFD7ED558CCDL;
    return (h ^ h >>> 32) | 1L;
  }
}
