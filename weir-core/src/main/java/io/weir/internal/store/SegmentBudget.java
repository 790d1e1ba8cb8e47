package io.weir.internal.store;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory budget of one segment, in words: a fixed share of the table, plus what it takes from a
 * rest that all segments share. Only the shared rest is thread-safe.
 */
final class SegmentBudget {
  /** The maximum number of words of a segment. */
  static final int MAX_WORDS = 1 << 28;

  private final int share;
  private final AtomicLong sharedRest;
  private int words;
  private int unobtainableWords;
  private long unobtainableUntil;

  SegmentBudget(int share, AtomicLong rest) {
    this.share = share;
    this.sharedRest = rest;
    words = share;
  }

  int share() {
    return share;
  }

  int words() {
    return words;
  }

  /** Raises the budget to between {@code min} and {@code max} words, if the rest has them. */
  void grow(int min, int max) {
    int wanted = Math.min(Math.max(min, max), MAX_WORDS) - words;
    for (long seen = sharedRest.get();
        min <= MAX_WORDS && seen >= min - words;
        seen = sharedRest.get()) {
      int taken = (int) Math.min(seen, wanted);
      if (sharedRest.compareAndSet(seen, seen - taken)) {
        words += taken;
        return;
      }
    }
  }

  /** Returns the words above the share that are not needed to the shared rest. */
  void shrink(int needed) {
    int kept = Math.max(share, needed);
    sharedRest.addAndGet(words - kept);
    words = kept;
  }

  /** Records that this many more words cannot be obtained until then. */
  void markUnobtainable(int more, long until) {
    unobtainableWords = more;
    unobtainableUntil = until;
  }

  boolean isUnobtainable(int more, long now) {
    return now < unobtainableUntil && more >= unobtainableWords;
  }
}
