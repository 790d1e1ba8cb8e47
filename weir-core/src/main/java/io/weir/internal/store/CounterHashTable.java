package io.weir.internal.store;

import io.weir.internal.algorithm.CounterState;
import java.io.IOException;

/**
 * The data of a {@link CounterSegment}: an open-addressing hash table of states in one array of
 * words.
 *
 * <p>A slot has three words: the key; the state's time, with its {@link PackedDuration} in the
 * upper bits; the used units, with two flags. Longer states have a chain of {@link OverflowBlocks}
 * instead of the third number. A key of 0 marks an empty slot. A fifth of the slots stays empty,
 * which keeps probe sequences short.
 *
 * <p>All methods but {@link #readOptimistically} must be called with the lock held.
 */
abstract class CounterHashTable extends SpinLock {
  static final int SLOT_WORDS = 3;
  static final int NO_SLOT = -1;
  private static final int MIN_CAPACITY = 8;
  private static final long NUMBER_MASK = (1L << 53) - 1;
  private static final long CHAINED_FLAG = 1L << 63;
  private static final long EXHAUSTED_FLAG = 1L << 62;

  long[] slots = new long[0];
  OverflowBlocks blocks;
  private int count;

  CounterHashTable(int maxWords) {
    blocks = new OverflowBlocks(0, maxWords);
  }

  /** Whether a state fits into its slot, without blocks. */
  static boolean fitsSlot(CounterState s) {
    return s.previous == 0 && s.entriesLength == 0;
  }

  /** The smallest number of slots of which that many keys leave a fifth empty. */
  static int minCapacity(int keys) {
    return Math.max(MIN_CAPACITY, (keys * 5 + 3) / 4);
  }

  /** The number of slots for that many keys and for growth, if the budget allows it. */
  static int preferredCapacity(int keys) {
    return Math.max(MIN_CAPACITY, keys + keys / 2 + keys / 16);
  }

  int count() {
    return count;
  }

  int words() {
    return slots.length + blocks.words();
  }

  /**
   * Reads the state of a key without the lock; returns whether the read is consistent. It fails
   * while another thread holds the lock, and for a key that has no slot or a chain of blocks.
   */
  boolean readOptimistically(long key, CounterState s, int stamp) {
    long[] table = slots;
    if (!isUnlocked(stamp) || table.length == 0) {
      return false;
    }
    int at = find(table, key);
    boolean whole = table[at] == key && table[at + 2] >= 0;
    s.clear();
    s.slot = at;
    s.time = table[at + 1] & NUMBER_MASK;
    s.used = table[at + 2] & NUMBER_MASK;
    return whole && validate(stamp);
  }

  /** Reads the state of a key; a fresh one if the key has none. */
  void load(long key, CounterState s) {
    s.clear();
    s.slot = NO_SLOT;
    if (count > 0) {
      int at = find(slots, key);
      if (slots[at] == key) {
        s.slot = at;
        read(at, s);
      }
    }
  }

  private void read(int at, CounterState s) {
    s.time = slots[at + 1] & NUMBER_MASK;
    long word = slots[at + 2];
    if (word >= 0) {
      s.used = word & NUMBER_MASK;
    } else {
      blocks.load((int) (word & NUMBER_MASK), s);
    }
  }

  /** Writes the state of a key, for which there must be space. */
  void save(long key, CounterState s, long freshAt, boolean exhausted) {
    int at = findSlot(key, s);
    if (at == NO_SLOT) {
      if (s.isFresh()) {
        return;
      }
      at = find(slots, key);
      slots[at] = key;
      count++;
    } else if (slots[at + 2] < 0) {
      blocks.free((int) (slots[at + 2] & NUMBER_MASK));
    }
    long number = fitsSlot(s) ? s.used : CHAINED_FLAG | blocks.save(s);
    slots[at + 1] = s.time | (long) PackedDuration.encode(freshAt - s.time) << 53;
    slots[at + 2] = number | (exhausted ? EXHAUSTED_FLAG : 0);
  }

  /** The current slot of a key, which may have moved since it was read. */
  int findSlot(long key, CounterState s) {
    int at = s.slot;
    if (at != NO_SLOT && at < slots.length && slots[at] == key) {
      return at;
    }
    if (count == 0) {
      return NO_SLOT;
    }
    at = find(slots, key);
    return slots[at] == key ? at : NO_SLOT;
  }

  /** Visits every state that is not fresh at that time. */
  void forEachLive(long now, CounterVisitor visitor) throws IOException {
    CounterState s = new CounterState();
    for (int at = 0; at < slots.length; at += SLOT_WORDS) {
      if (isLive(at, now)) {
        s.clear();
        read(at, s);
        visitor.visit(slots[at], s, freshAt(at), isExhausted(at));
      }
    }
  }

  /** Receives states one after another; the state object is reused. */
  interface CounterVisitor {
    void visit(long key, CounterState s, long freshAt, boolean exhausted) throws IOException;
  }

  private static int find(long[] slots, long key) {
    int at = (int) (((key & 0xFFFF_FFFFL) * (slots.length / SLOT_WORDS)) >>> 32) * SLOT_WORDS;
    while (slots[at] != key && slots[at] != 0) {
      at += SLOT_WORDS;
      if (at == slots.length) {
        at = 0;
      }
    }
    return at;
  }

  long freshAt(int at) {
    return (slots[at + 1] & NUMBER_MASK) + PackedDuration.decode((int) (slots[at + 1] >>> 53));
  }

  boolean isLive(int at, long now) {
    return slots[at] != 0 && freshAt(at) > now;
  }

  boolean isExhausted(int at) {
    return (slots[at + 2] & EXHAUSTED_FLAG) != 0;
  }

  /** The number of words in the blocks of a slot. */
  int chainWords(int at) {
    return slots[at + 2] >= 0 ? 0 : blocks.words((int) (slots[at + 2] & NUMBER_MASK));
  }

  /** Moves the states that are not fresh at that time to new arrays, and drops the others. */
  void rehash(int capacity, int maxWords, long now) {
    long[] next = new long[capacity * SLOT_WORDS];
    int chains = 0;
    int kept = 0;
    for (int at = 0; at < slots.length; at += SLOT_WORDS) {
      if (isLive(at, now)) {
        System.arraycopy(slots, at, next, find(next, slots[at]), SLOT_WORDS);
        chains += chainWords(at);
        kept++;
      }
    }
    OverflowBlocks nextBlocks = new OverflowBlocks(chains, maxWords - next.length);
    CounterState s = new CounterState();
    for (int at = 0; at < next.length; at += SLOT_WORDS) {
      if (next[at + 2] < 0) {
        s.clear();
        blocks.load((int) (next[at + 2] & NUMBER_MASK), s);
        next[at + 2] = (next[at + 2] & ~NUMBER_MASK) | nextBlocks.save(s);
      }
    }
    slots = next;
    blocks = nextBlocks;
    count = kept;
  }
}
