package io.weir.store;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The words one segment may have: its share of the table, and what it gets of the rest, which all
 * segments draw from. Not thread-safe but for the rest.
 */
final class SegmentBudget {
  /** The most words a segment can have. */
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

  /** Gets it to so many words, at least and at most, if the rest has them. */
  void grow(int least, int most) {
    int wanted = Math.min(Math.max(least, most), MAX_WORDS) - words;
    for (long seen = sharedRest.get();
        least <= MAX_WORDS && seen >= least - words;
        seen = sharedRest.get()) {
      int taken = (int) Math.min(seen, wanted);
      if (sharedRest.compareAndSet(seen, seen - taken)) {
        words += taken;
        return;
      }
    }
  }

  /** Gives back what it has above its share and does not need. */
  void shrink(int needed) {
    int kept = Math.max(share, needed);
    sharedRest.addAndGet(words - kept);
    words = kept;
  }

  /** Notes that so many words more are not to be had until then. */
  void markUnobtainable(int more, long until) {
    unobtainableWords = more;
    unobtainableUntil = until;
  }

  boolean isUnobtainable(int more, long now) {
    return now < unobtainableUntil && more >= unobtainableWords;
  }
}
