package io.weir.store;

import io.weir.algorithm.CounterState;
import java.util.Arrays;

/**
 * One part of the table in memory: a lock, and the slots of the keys that fall to it.
 *
 * <p>Nothing is ever removed by itself. When a segment is full it is built anew without the states
 * that have become fresh, for forgetting those changes nothing; larger if need be, up to its {@link
 * SegmentBudget}. At the budget it also forgets, of the states that still have room, those nearest
 * to fresh; never one that is exhausted, nor one of the decision under way. If that makes no room
 * either, what would have to be written is turned away.
 *
 * <p>Everything but {@link #lock}, {@link #readOptimistically} and {@link #insert} is to be called
 * with the lock held.
 */
final class CounterSegment extends CounterHashTable {
  private static final int SLOT_BITS = 27;
  private static final long MAX_FRESH_IN_MILLIS = (1L << 36) - 1;

  private final SegmentBudget budget;
  private long[] pinnedKeys = new long[2]; // the keys of the decision under way
  private int pinnedCount;
  private int reservedSlots; // slots, to keys that have none or may lose it
  private int reservedWords; // of blocks, beyond those a key has
  private long evicted;

  CounterSegment(SegmentBudget budget) {
    super(budget.words());
    this.budget = budget;
  }

  long evicted() {
    return evicted;
  }

  /** Reads the state of a key and keeps it from being evicted until {@link #unlock}. */
  @Override
  void load(long key, CounterState s) {
    if (pinnedCount == pinnedKeys.length) {
      pinnedKeys = Arrays.copyOf(pinnedKeys, 2 * pinnedCount);
    }
    pinnedKeys[pinnedCount++] = key;
    super.load(key, s);
  }

  /**
   * Reserves what writing the state of a key takes beyond what the key has already. Returns false
   * if it cannot be had. A reservation holds until {@link #unlock} or {@link #release}.
   */
  boolean reserve(long key, CounterState s, long now) {
    int at = findSlot(key, s);
    if (at == NO_SLOT && s.isFresh()) {
      return true; // it is not written
    }
    boolean live = at != NO_SLOT && isLive(at, now);
    int slot = live ? 0 : 1; // a slot that is over is lost when the segment is built anew
    int chain = fitsSlot(s) ? 0 : OverflowBlocks.wordsFor(2 + s.entriesLength);
    if (live && chain > 0) {
      chain = Math.max(0, chain - chainWords(at)); // its own blocks are freed first
    }
    boolean room =
        (at != NO_SLOT || hasFreeSlot())
            && words() + blocks.growthFor(reservedWords + chain) <= budget.words();
    if (!room && !rebuild(now, reservedSlots + slot, reservedWords + chain)) {
      return false;
    }
    reservedSlots += slot;
    reservedWords += chain;
    return true;
  }

  /** Gives up everything that was reserved. */
  void release() {
    reservedSlots = 0;
    reservedWords = 0;
  }

  /** Takes in the state of a key it does not have; whether there was room. Locks by itself. */
  boolean insert(long key, CounterState s, long freshAt, boolean exhausted, long now) {
    s.slot = NO_SLOT;
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
    pinnedCount = 0;
    super.unlock();
  }

  /** Whether one more key leaves a fifth of the slots empty, the promised ones counted. */
  private boolean hasFreeSlot() {
    return (count() + reservedSlots + 1) * 5L <= slots.length / SLOT_WORDS * 4L;
  }

  /**
   * Builds the segment anew without what may be forgotten, if that makes room for so many more keys
   * and words of chains; whether it did.
   */
  private boolean rebuild(long now, int moreKeys, int moreWords) {
    int asked = words(moreKeys, moreWords);
    if (budget.isUnobtainable(asked, now)) {
      return false;
    }
    int keys = moreKeys;
    int chains = moreWords + budget.share() / 16;
    for (int at = 0; at < slots.length; at += SLOT_WORDS) {
      if (isLive(at, now)) {
        keys++;
        chains += chainWords(at);
      }
    }
    if (!fitsBudget(keys, chains)) {
      budget.grow(words(minCapacity(keys), chains), words(preferredCapacity(keys), chains));
    }
    if (!fitsBudget(keys, chains)) {
      long[] victims = evictionOrder(now);
      int least = keys / 8 + 1; // it would soon be full again
      int gone = 0;
      for (; gone < victims.length && (gone < least || !fitsBudget(keys, chains)); gone++) {
        keys--;
        chains -= chainWords(slot(victims[gone]));
      }
      if (!fitsBudget(keys, chains)) {
        long until = Math.min(earliestFreshAt(now), now + 1_000_000);
        budget.markUnobtainable(asked, until); // others may give back
        return false;
      }
      for (int i = 0; i < gone; i++) {
        slots[slot(victims[i])] = 0; // the copy leaves it out
      }
      evicted += gone;
    }
    int capacity =
        Math.max(
            minCapacity(keys),
            Math.min((budget.words() - chains) / SLOT_WORDS, preferredCapacity(keys)));
    budget.shrink(words(capacity, chains));
    rehash(capacity, budget.words(), now);
    return true;
  }

  private boolean fitsBudget(int keys, int chains) {
    return words(minCapacity(keys), chains) <= budget.words();
  }

  private static int words(int capacity, int chains) {
    return capacity * SLOT_WORDS + chains;
  }

  /**
   * The states that may be evicted, the nearest to fresh first: the milliseconds until then, and
   * where each is.
   */
  private long[] evictionOrder(long now) {
    long[] order = new long[count()];
    int n = 0;
    for (int at = 0; at < slots.length; at += SLOT_WORDS) {
      if (isLive(at, now) && !isExhausted(at) && !isPinned(slots[at])) {
        order[n++] =
            (Math.min((freshAt(at) - now) >>> 10, MAX_FRESH_IN_MILLIS) << SLOT_BITS)
                | (at / SLOT_WORDS);
      }
    }
    Arrays.sort(order, 0, n);
    return Arrays.copyOf(order, n);
  }

  private boolean isPinned(long key) {
    for (int i = 0; i < pinnedCount; i++) {
      if (pinnedKeys[i] == key) {
        return true;
      }
    }
    return false;
  }

  private static int slot(long ordered) {
    return (int) (ordered & ((1L << SLOT_BITS) - 1)) * SLOT_WORDS;
  }

  private long earliestFreshAt(long now) {
    long first = Long.MAX_VALUE;
    for (int at = 0; at < slots.length; at += SLOT_WORDS) {
      if (isLive(at, now)) {
        first = Math.min(first, freshAt(at));
      }
    }
    return first;
  }
}
