package io.weir.store;

import io.weir.algorithm.State;
import java.util.Arrays;

/**
 * One part of the table in memory: a lock, and the slots of the keys that fall to it.
 *
 * <p>Nothing is ever removed by itself. When a segment is full it is built anew without the states
 * that have become fresh, for forgetting those changes nothing; larger if need be, up to its {@link
 * Budget}. At the budget it also forgets, of the states that still have room, those nearest to
 * fresh; never one that is exhausted, nor one of the decision under way. If that makes no room
 * either, what would have to be written is turned away.
 *
 * <p>Everything but {@link #lock}, {@link #glimpse} and {@link #adopt} is to be called with the
 * lock held.
 */
final class Segment extends SlotTable {
  private static final int SLOT_BITS = 27;
  private static final long MOST_MILLIS = (1L << 36) - 1;

  private final Budget budget;
  private long[] loaded = new long[2]; // the keys of the decision under way
  private int loadedCount;
  private int promised; // slots, to keys that have none or may lose it
  private int promisedWords; // of blocks, beyond those a key has
  private long evicted;

  Segment(Budget budget) {
    super(budget.words());
    this.budget = budget;
  }

  long evicted() {
    return evicted;
  }

  /** Reads the state of a key and keeps it from being evicted until {@link #unlock}. */
  @Override
  void load(long key, State s) {
    if (loadedCount == loaded.length) {
      loaded = Arrays.copyOf(loaded, 2 * loadedCount);
    }
    loaded[loadedCount++] = key;
    super.load(key, s);
  }

  /**
   * Reserves what writing the state of a key takes beyond what the key has already. Returns false
   * if it cannot be had. A reservation holds until {@link #unlock} or {@link #release}.
   */
  boolean reserve(long key, State s, long now) {
    int at = slotOf(key, s);
    if (at == NOWHERE && s.isFresh()) {
      return true; // it is not written
    }
    boolean live = at != NOWHERE && isLive(at, now);
    int slot = live ? 0 : 1; // a slot that is over is lost when the segment is built anew
    int chain = fitsSlot(s) ? 0 : Blocks.wordsFor(2 + s.size);
    if (live && chain > 0) {
      chain = Math.max(0, chain - chainWords(at)); // its own blocks are freed first
    }
    boolean room =
        (at != NOWHERE || hasSlot())
            && words() + blocks.missing(promisedWords + chain) <= budget.words();
    if (!room && !rebuild(now, promised + slot, promisedWords + chain)) {
      return false;
    }
    promised += slot;
    promisedWords += chain;
    return true;
  }

  /** Gives up everything that was reserved. */
  void release() {
    promised = 0;
    promisedWords = 0;
  }

  /** Takes in the state of a key it does not have; whether there was room. Locks by itself. */
  boolean adopt(long key, State s, long freshAt, boolean exhausted, long now) {
    s.slot = NOWHERE;
    lock();
    try {
      boolean room = reserve(key, s, now);
      if (room) {
        save(key, s, freshAt, exhausted);
      }
      return room;
    } finally {
      unlock();
    }
  }

  @Override
  void unlock() {
    release();
    loadedCount = 0;
    super.unlock();
  }

  /** Whether one more key leaves a fifth of the slots empty, the promised ones counted. */
  private boolean hasSlot() {
    return (count() + promised + 1) * 5L <= slots.length / SLOT * 4L;
  }

  /**
   * Builds the segment anew without what may be forgotten, if that makes room for so many more keys
   * and words of chains; whether it did.
   */
  private boolean rebuild(long now, int moreKeys, int moreWords) {
    int asked = words(moreKeys, moreWords);
    if (budget.isHopeless(asked, now)) {
      return false;
    }
    int keys = moreKeys;
    int chains = moreWords + budget.share() / 16;
    for (int at = 0; at < slots.length; at += SLOT) {
      if (isLive(at, now)) {
        keys++;
        chains += chainWords(at);
      }
    }
    if (!fits(keys, chains)) {
      budget.raise(words(slotsFor(keys), chains), words(roomyFor(keys), chains));
    }
    if (!fits(keys, chains)) {
      long[] victims = nearestToFresh(now);
      int least = keys / 8 + 1; // it would soon be full again
      int gone = 0;
      for (; gone < victims.length && (gone < least || !fits(keys, chains)); gone++) {
        keys--;
        chains -= chainWords(slot(victims[gone]));
      }
      if (!fits(keys, chains)) {
        long until = Math.min(firstFresh(now), now + 1_000_000);
        budget.giveUp(asked, until); // others may give back
        return false;
      }
      for (int i = 0; i < gone; i++) {
        slots[slot(victims[i])] = 0; // the copy leaves it out
      }
      evicted += gone;
    }
    int capacity =
        Math.max(slotsFor(keys), Math.min((budget.words() - chains) / SLOT, roomyFor(keys)));
    budget.lower(words(capacity, chains));
    copy(capacity, budget.words(), now);
    return true;
  }

  private boolean fits(int keys, int chains) {
    return words(slotsFor(keys), chains) <= budget.words();
  }

  private static int words(int capacity, int chains) {
    return capacity * SLOT + chains;
  }

  /**
   * The states that may be evicted, the nearest to fresh first: the milliseconds until then, and
   * where each is.
   */
  private long[] nearestToFresh(long now) {
    long[] order = new long[count()];
    int n = 0;
    for (int at = 0; at < slots.length; at += SLOT) {
      if (isLive(at, now) && !isExhausted(at) && !isLoaded(slots[at])) {
        order[n++] = (Math.min((freshAt(at) - now) >>> 10, MOST_MILLIS) << SLOT_BITS) | (at / SLOT);
      }
    }
    Arrays.sort(order, 0, n);
    return Arrays.copyOf(order, n);
  }

  private boolean isLoaded(long key) {
    for (int i = 0; i < loadedCount; i++) {
      if (loaded[i] == key) {
        return true;
      }
    }
    return false;
  }

  private static int slot(long ordered) {
    return (int) (ordered & ((1L << SLOT_BITS) - 1)) * SLOT;
  }

  private long firstFresh(long now) {
    long first = Long.MAX_VALUE;
    for (int at = 0; at < slots.length; at += SLOT) {
      if (isLive(at, now)) {
        first = Math.min(first, freshAt(at));
      }
    }
    return first;
  }
}
