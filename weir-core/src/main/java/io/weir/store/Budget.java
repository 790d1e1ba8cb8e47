package io.weir.store;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The words one segment may have: its share of the table, and what it gets of the rest, which all
 * segments draw from. Not thread-safe but for the rest.
 */
final class Budget {
  /** The most words a segment can have. */
  static final int MOST = 1 << 28;

  private final int share;
  private final AtomicLong rest;
  private int words;
  private int hopeless;
  private long hopelessUntil;

  Budget(int share, AtomicLong rest) {
    this.share = share;
    this.rest = rest;
    words = share;
  }

  int share() {
    return share;
  }

  int words() {
    return words;
  }

  /** Gets it to so many words, at least and at most, if the rest has them. */
  void raise(int least, int most) {
    int wanted = Math.min(Math.max(least, most), MOST) - words;
    for (long seen = rest.get(); least <= MOST && seen >= least - words; seen = rest.get()) {
      int taken = (int) Math.min(seen, wanted);
      if (rest.compareAndSet(seen, seen - taken)) {
        words += taken;
        return;
      }
    }
  }

  /** Gives back what it has above its share and does not need. */
  void lower(int needed) {
    int kept = Math.max(share, needed);
    rest.addAndGet(words - kept);
    words = kept;
  }

  /** Notes that so many words more are not to be had until then. */
  void giveUp(int more, long until) {
    hopeless = more;
    hopelessUntil = until;
  }

  boolean isHopeless(int more, long now) {
    return now < hopelessUntil && more >= hopeless;
  }
}
