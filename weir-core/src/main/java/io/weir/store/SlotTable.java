package io.weir.store;

import io.weir.algorithm.State;
import java.io.IOException;

/**
 * The data of a {@link Segment}: an open-addressing hash table of states in one array of words.
 *
 * <p>A slot is three words: the key; the state's time, with its {@link Life} in the upper bits;
 * what is used, with two marks. Longer states have a chain of {@link Blocks} instead of the third
 * number. A key of 0 is an empty slot; a fifth of the slots stays empty, so that searches end soon.
 *
 * <p>Everything but {@link #glimpse} is to be called with the lock held.
 */
abstract class SlotTable extends SpinLock {
  static final int SLOT = 3;
  static final int NOWHERE = -1;
  private static final int MIN_CAPACITY = 8;
  private static final long NUMBER = (1L << 53) - 1;
  private static final long CHAINED = 1L << 63;
  private static final long EXHAUSTED = 1L << 62;

  long[] slots = new long[0];
  Blocks blocks;
  private int count;

  SlotTable(int maxWords) {
    blocks = new Blocks(0, maxWords);
  }

  /** Whether a state fits its slot, without blocks. */
  static boolean fitsSlot(State s) {
    return s.before == 0 && s.size == 0;
  }

  /** The fewest slots of which that many keys leave a fifth empty. */
  static int slotsFor(int keys) {
    return Math.max(MIN_CAPACITY, (keys * 5 + 3) / 4);
  }

  /** The slots for that many keys and those soon to come, if the budget has them. */
  static int roomyFor(int keys) {
    return Math.max(MIN_CAPACITY, keys + keys / 2 + keys / 16);
  }

  int count() {
    return count;
  }

  int words() {
    return slots.length + blocks.words();
  }

  /**
   * Reads the state of a key without the lock; whether it could. It cannot while another holds the
   * lock, nor for a key that has no slot or more numbers than fit one.
   */
  boolean glimpse(long key, State s, int stamp) {
    long[] table = slots;
    if (!isFree(stamp) || table.length == 0) {
      return false;
    }
    int at = find(table, key);
    boolean whole = table[at] == key && table[at + 2] >= 0;
    s.clear();
    s.slot = at;
    s.time = table[at + 1] & NUMBER;
    s.used = table[at + 2] & NUMBER;
    return whole && unchanged(stamp);
  }

  /** Reads the state of a key, fresh if there is none. */
  void load(long key, State s) {
    s.clear();
    s.slot = NOWHERE;
    if (count > 0) {
      int at = find(slots, key);
      if (slots[at] == key) {
        s.slot = at;
        read(at, s);
      }
    }
  }

  private void read(int at, State s) {
    s.time = slots[at + 1] & NUMBER;
    long word = slots[at + 2];
    if (word >= 0) {
      s.used = word & NUMBER;
    } else {
      blocks.load((int) (word & NUMBER), s);
    }
  }

  /** Writes the state of a key; there must be space. */
  void save(long key, State s, long freshAt, boolean exhausted) {
    int at = slotOf(key, s);
    if (at == NOWHERE) {
      if (s.isFresh()) {
        return;
      }
      at = find(slots, key);
      slots[at] = key;
      count++;
    } else if (slots[at + 2] < 0) {
      blocks.free((int) (slots[at + 2] & NUMBER));
    }
    long number = fitsSlot(s) ? s.used : CHAINED | blocks.save(s);
    slots[at + 1] = s.time | (long) Life.encode(freshAt - s.time) << 53;
    slots[at + 2] = number | (exhausted ? EXHAUSTED : 0);
  }

  /** Where the key is now: it may have moved since it was read, to make room for another. */
  int slotOf(long key, State s) {
    int at = s.slot;
    if (at != NOWHERE && at < slots.length && slots[at] == key) {
      return at;
    }
    if (count == 0) {
      return NOWHERE;
    }
    at = find(slots, key);
    return slots[at] == key ? at : NOWHERE;
  }

  /** Tells every state that is not fresh by then. */
  void each(long now, Listener listener) throws IOException {
    State s = new State();
    for (int at = 0; at < slots.length; at += SLOT) {
      if (isLive(at, now)) {
        s.clear();
        read(at, s);
        listener.state(slots[at], s, freshAt(at), isExhausted(at));
      }
    }
  }

  /** Hears of states, each before the next. */
  interface Listener {
    void state(long key, State s, long freshAt, boolean exhausted) throws IOException;
  }

  private static int find(long[] slots, long key) {
    int at = (int) (((key & 0xFFFF_FFFFL) * (slots.length / SLOT)) >>> 32) * SLOT;
    while (slots[at] != key && slots[at] != 0) {
      at += SLOT;
      if (at == slots.length) {
        at = 0;
      }
    }
    return at;
  }

  long freshAt(int at) {
    return (slots[at + 1] & NUMBER) + Life.decode((int) (slots[at + 1] >>> 53));
  }

  boolean isLive(int at, long now) {
    return slots[at] != 0 && freshAt(at) > now;
  }

  boolean isExhausted(int at) {
    return (slots[at + 2] & EXHAUSTED) != 0;
  }

  /** The words of the blocks that a slot has. */
  int chainWords(int at) {
    return slots[at + 2] >= 0 ? 0 : blocks.words((int) (slots[at + 2] & NUMBER));
  }

  /** Moves the states that are not fresh by then to new arrays, and forgets the others. */
  void copy(int capacity, int maxWords, long now) {
    long[] next = new long[capacity * SLOT];
    int chains = 0;
    int kept = 0;
    for (int at = 0; at < slots.length; at += SLOT) {
      if (isLive(at, now)) {
        System.arraycopy(slots, at, next, find(next, slots[at]), SLOT);
        chains += chainWords(at);
        kept++;
      }
    }
    Blocks nextBlocks = new Blocks(chains, maxWords - next.length);
    State s = new State();
    for (int at = 0; at < next.length; at += SLOT) {
      if (next[at + 2] < 0) {
        s.clear();
        blocks.load((int) (next[at + 2] & NUMBER), s);
        next[at + 2] = (next[at + 2] & ~NUMBER) | nextBlocks.save(s);
      }
    }
    slots = next;
    blocks = nextBlocks;
    count = kept;
  }
}
