package io.weir.internal.store;

import io.weir.internal.algorithm.CounterState;
import java.util.Arrays;

/**
 * One segment of the table in memory: a lock, and the slots of the keys that hash to it.
 *
 * <p>States are removed only when the segment is full. Then it is rebuilt without the fresh states,
 * whose removal changes no decision, and larger if necessary, up to its {@link SegmentBudget}. At
 * the budget it also evicts states that are not exhausted, those nearest to fresh first; never an
 * exhausted one, nor one of the current decision. If there is still no space, the write is
 * rejected.
 *
 * <p>All methods but {@link #lock}, {@link #readOptimistically} and {@link #insert} must be called
 * with the lock held.
 */
final class CounterSegment extends CounterHashTable {
  private static final int SLOT_BITS = 27;
  private static final long MAX_FRESH_IN_MILLIS = (1L << 36) - 1;

  private final SegmentBudget budget;
  private long[] pinnedKeys = new long[2]; // the keys of the current decision, never evicted
  private int pinnedCount;
  private int reservedSlots; // for keys that have no slot or may lose it
  private int reservedWords; // of blocks, beyond those the keys have
  private long evicted;

  CounterSegment(SegmentBudget budget) {
    super(budget.words());
    this.budget = budget;
  }

  long evicted() {
    return evicted;
  }

  /** Reads the state of a key, which cannot be evicted until {@link #unlock}. */
  @Override
  void load(long key, CounterState s) {
    if (pinnedCount == pinnedKeys.length) {
      pinnedKeys = Arrays.copyOf(pinnedKeys, 2 * pinnedCount);
    }
    pinnedKeys[pinnedCount++] = key;
    super.load(key, s);
  }

  /**
   * Reserves the space for writing the state of a key, beyond the space that the key has already.
   * Returns false if there is none. A reservation holds until {@link #unlock} or {@link #release}.
   */
  boolean reserve(long key, CounterState s, long now) {
    int at = findSlot(key, s);
    if (at == NO_SLOT && s.isFresh()) {
      return true; // it is not written
    }
    boolean live = at != NO_SLOT && isLive(at, now);
    int slot = live ? 0 : 1; // a slot of a fresh state is lost when the segment is rebuilt
    int chain = fitsSlot(s) ? 0 : OverflowBlocks.wordsFor(2 + s.entriesLength);
    if (live && chain > 0) {
      chain = Math.max(0, chain - chainWords(at)); // its own blocks are freed first
    }
    boolean hasSpace =
        (at != NO_SLOT || hasFreeSlot())
            && words() + blocks.growthFor(reservedWords + chain) <= budget.words();
    if (!hasSpace && !rebuild(now, reservedSlots + slot, reservedWords + chain)) {
      return false;
    }
    reservedSlots += slot;
    reservedWords += chain;
    return true;
  }

  /** Releases all reservations. */
  void release() {
    reservedSlots = 0;
    reservedWords = 0;
  }

  /** Adds the state of a new key; returns whether there was space. Acquires the lock itself. */
  boolean insert(long key, CounterState s, long freshAt, boolean exhausted, long now) {
    s.slot = NO_SLOT;
    lock();
    try {
      boolean hasSpace = reserve(key, s, now);
      if (hasSpace) {
        save(key, s, freshAt, exhausted);
      }
      return hasSpace;
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

  /** Whether one more key leaves a fifth of the slots empty, reserved slots included. */
  private boolean hasFreeSlot() {
    return (count() + reservedSlots + 1) * 5L <= slots.length / SLOT_WORDS * 4L;
  }

  /**
   * Rebuilds the segment without fresh and evicted states, if that makes space for this many more
   * keys and words of chains; returns whether it did.
   */
  private boolean rebuild(long now, int moreKeys, int moreWords) {
    int wanted = words(moreKeys, moreWords);
    if (budget.isUnobtainable(wanted, now)) {
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
      int minEvicted = keys / 8 + 1; // fewer would leave it nearly full
      int evictedNow = 0;
      for (;
          evictedNow < victims.length && (evictedNow < minEvicted || !fitsBudget(keys, chains));
          evictedNow++) {
        keys--;
        chains -= chainWords(slot(victims[evictedNow]));
      }
      if (!fitsBudget(keys, chains)) {
        long until = Math.min(earliestFreshAt(now), now + 1_000_000);
        budget.markUnobtainable(wanted, until); // other segments may return words
        return false;
      }
      for (int i = 0; i < evictedNow; i++) {
        slots[slot(victims[i])] = 0; // empty, so that it is not copied
      }
      evicted += evictedNow;
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
   * The states that may be evicted, those nearest to fresh first: each as the milliseconds until it
   * is fresh and, in the lower bits, its slot.
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
