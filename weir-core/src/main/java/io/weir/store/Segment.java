package io.weir.store;

import io.weir.algorithm.State;
import java.io.IOException;
import java.util.Arrays;

/**
 * One part of the table in memory: a lock, and the slots of the keys that fall to it.
 *
 * <p>A slot is three words: the key; the state's time, with its {@link Life} in the upper bits;
 * what is used, with two marks. Longer states have a chain of {@link Blocks} instead of the third
 * number. Slots are found by open addressing; a key of 0 is an empty slot.
 *
 * <p>Nothing is ever removed by itself. When a segment is full it is built anew without the states
 * that have become fresh, for forgetting those changes nothing; larger if need be, up to its {@link
 * Budget}. At the budget it also forgets, of the states that still have room, those nearest to
 * fresh; never one that is exhausted. If that makes no room either, a new key is turned away.
 *
 * <p>Everything but {@link #lock}, {@link #glimpse} and {@link #adopt} is to be called with the
 * lock held.
 */
final class Segment extends SpinLock {
  private static final int SLOT = 3;
  private static final int FEWEST = 8;
  private static final int NOWHERE = -1;
  private static final long NUMBER = (1L << 53) - 1;
  private static final long CHAINED = 1L << 63;
  private static final long EXHAUSTED = 1L << 62;
  private static final int SLOT_BITS = 27;
  private static final long MOST_MILLIS = (1L << 36) - 1;

  private final Budget budget;
  private long[] slots = new long[0];
  private Blocks blocks;
  private int count;
  private int admitted;
  private int promised; // slots, to those of the admitted that may have none
  private int promisedWords;
  private long evicted;

  Segment(Budget budget) {
    this.budget = budget;
    blocks = new Blocks(0, budget.words());
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

  /** Whether a state fits its slot, without blocks. */
  static boolean fitsSlot(State s) {
    return s.before == 0 && s.size == 0;
  }

  int count() {
    return count;
  }

  long evicted() {
    return evicted;
  }

  int words() {
    return slots.length + blocks.words();
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

  /**
   * Promises room for the state of a key, grown by one charge; whether it could. The promise holds
   * until {@link #unlock}.
   */
  boolean admits(State s, long now) {
    boolean known = s.slot != NOWHERE;
    int chain = Blocks.wordsFor(4 + s.size);
    boolean room =
        (known || hasSlot()) && words() + blocks.missing(promisedWords + chain) <= budget.words();
    if (!room && !rebuild(now, chain)) {
      return false;
    }
    admitted++;
    promised = room ? promised + (known ? 0 : 1) : admitted; // built anew, all may have lost theirs
    promisedWords += chain;
    return true;
  }

  /** Writes the state of a key that {@link #admits} has promised room for. */
  void save(long key, State s, long freshAt, boolean exhausted) {
    int at = s.slot;
    if (at == NOWHERE || at >= slots.length || slots[at] != key) {
      if (count == 0 && s.isFresh()) {
        return;
      }
      at = find(slots, key); // it may have moved since it was read, to make room for another
      if (slots[at] != key && s.isFresh()) {
        return;
      }
    }
    if (slots[at] != key) {
      slots[at] = key;
      count++;
    } else if (slots[at + 2] < 0) {
      blocks.free((int) (slots[at + 2] & NUMBER));
    }
    long number = fitsSlot(s) ? s.used : CHAINED | blocks.save(s);
    slots[at + 1] = s.time | (long) Life.encode(freshAt - s.time) << 53;
    slots[at + 2] = number | (exhausted ? EXHAUSTED : 0);
  }

  /** Tells every state that is not fresh by then. */
  void each(long now, Listener listener) throws IOException {
    State s = new State();
    for (int at = 0; at < slots.length; at += SLOT) {
      if (isLive(at, now)) {
        s.clear();
        read(at, s);
        listener.state(slots[at], s, freshAt(at), (slots[at + 2] & EXHAUSTED) != 0);
      }
    }
  }

  /** Hears of states, each before the next. */
  interface Listener {
    void state(long key, State s, long freshAt, boolean exhausted) throws IOException;
  }

  /** Takes in the state of a key it does not have; whether there was room. Locks by itself. */
  boolean adopt(long key, State s, long freshAt, boolean exhausted, long now) {
    s.slot = NOWHERE;
    lock();
    try {
      boolean room = admits(s, now);
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
    admitted = 0;
    promised = 0;
    promisedWords = 0;
    super.unlock();
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

  /** Whether one more key leaves a fifth of the slots empty, the promised ones counted. */
  private boolean hasSlot() {
    return (count + promised + 1) * 5L <= slots.length / SLOT * 4L;
  }

  private long freshAt(int at) {
    return (slots[at + 1] & NUMBER) + Life.decode((int) (slots[at + 1] >>> 53));
  }

  /**
   * Builds the segment anew without what may be forgotten, if that makes room for what was promised
   * and one more key with a chain; whether it did.
   */
  private boolean rebuild(long now, int chain) {
    int asked = promisedWords + chain;
    if (budget.isHopeless(asked, now)) {
      return false;
    }
    int keys = admitted + 1;
    int chains = asked + budget.share() / 16;
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
        budget.giveUp(asked, Math.min(firstFresh(now), now + 1_000_000)); // others may give back
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
    copy(capacity, now);
    return true;
  }

  private boolean fits(int keys, int chains) {
    return words(slotsFor(keys), chains) <= budget.words();
  }

  private static int words(int capacity, int chains) {
    return capacity * SLOT + chains;
  }

  /** The fewest slots of which so many keys leave a fifth empty. */
  private static int slotsFor(int keys) {
    return Math.max(FEWEST, (keys * 5 + 3) / 4);
  }

  /** The slots for so many keys and those soon to come, if the budget has them. */
  private static int roomyFor(int keys) {
    return Math.max(FEWEST, keys + keys / 2 + keys / 16);
  }

  private boolean isLive(int at, long now) {
    return slots[at] != 0 && freshAt(at) > now;
  }

  private int chainWords(int at) {
    return slots[at + 2] >= 0 ? 0 : blocks.words((int) (slots[at + 2] & NUMBER));
  }

  private void copy(int capacity, long now) {
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
    Blocks nextBlocks = new Blocks(chains, budget.words() - next.length);
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

  /**
   * The states that still have room, the nearest to fresh first: the milliseconds until then, and
   * where each is.
   */
  private long[] nearestToFresh(long now) {
    long[] order = new long[count];
    int n = 0;
    for (int at = 0; at < slots.length; at += SLOT) {
      if (isLive(at, now) && (slots[at + 2] & EXHAUSTED) == 0) {
        order[n++] = (Math.min((freshAt(at) - now) >>> 10, MOST_MILLIS) << SLOT_BITS) | (at / SLOT);
      }
    }
    Arrays.sort(order, 0, n);
    return Arrays.copyOf(order, n);
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
