package io.weir.redis;

import io.weir.algorithm.State;
import io.weir.rule.Claim;
import io.weir.store.Ask;
import io.weir.store.Decide;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.StoreException;
import io.weir.store.nodes.Refusals;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Requests that travel together: one script call.
 *
 * <p>The script charges and answers with what every counter was before. What to tell the callers is
 * computed here, by the same steps on the same states; that Java and Lua take the same steps is a
 * law with a test. So the server does no more than it must, and requests that ask the same are one
 * to it, however many they are.
 *
 * <p>Used for one call at a time, then again. Not thread-safe.
 */
final class Batch {
  /** The most limits one request may be held against. */
  static final int MAX_CLAIMS = 1000;

  private static final int ENOUGH_CLAIMS = 250;
  private static final int SLOTS = 4096;
  private static final int MOST_ALIKE = 0xFFFF;
  static final int CAPACITY = ENOUGH_CLAIMS + MAX_CLAIMS;

  /* The counters: each key once, found by a small hash table. */
  final long[] keys = new long[CAPACITY];
  private final State[] states = new State[CAPACITY];
  private final int[] slots = new int[SLOTS];
  private final int[] slotOf = new int[CAPACITY];
  private final int[] groupOf = new int[CAPACITY];
  final int[] uses = new int[CAPACITY];
  int counters;

  /* The groups of requests that ask the same, and the counters of their claims one after another. */
  final @Nullable Ask[] heads = new Ask[CAPACITY];
  private final @Nullable Ask[] tails = new Ask[CAPACITY];
  final int[] sizes = new int[CAPACITY];
  final int[] counterOf = new int[CAPACITY];
  int groups;
  private int claims;
  private int asks;

  /** What the script is called with. */
  final Wording wording = new Wording(this);

  /** When it was sent, in microseconds of the node's clock. */
  long sent;

  /** What its answer must begin with. */
  int number;

  int asks() {
    return asks;
  }

  boolean isFull() {
    return claims >= ENOUGH_CLAIMS;
  }

  /** Adds a request of at most {@link #MAX_CLAIMS} claims; there must be room. */
  void add(Ask ask) {
    asks++;
    ask.next = null;
    int first = counter(ask.claims()[0].key());
    int group = groupOf[first];
    if (group >= 0 && sizes[group] < MOST_ALIKE && isLike(ask, head(group))) {
      Ask tail = tails[group];
      if (tail != null) {
        tail.next = ask;
      }
      tails[group] = ask;
      sizes[group]++;
      return;
    }
    group = groups++;
    heads[group] = ask;
    tails[group] = ask;
    sizes[group] = 1;
    int from = claims;
    boolean distinct = true;
    for (Claim claim : ask.claims()) {
      int counter = counter(claim.key());
      for (int i = from; i < claims; i++) {
        distinct &= counterOf[i] != counter;
      }
      counterOf[claims++] = counter;
      uses[counter]++;
    }
    groupOf[first] = distinct ? group : -1; // one that asks twice of a counter is judged alone
  }

  /**
   * Computes every request's outcomes from what the script answered and tells them.
   *
   * @param at when the answer came, by the guard's clock
   * @throws StoreException if the answer is not one to this call
   */
  Answer settle(byte[] reply, Refusals refusals, long at) {
    Packed packed = new Packed(reply);
    long now;
    int corrupt;
    int inserted = 0;
    try {
      if (packed.number(4) != (number & 0xFFFF_FFFFL)) {
        throw new StoreException(StoreException.Kind.GARBLED, "it answered another question");
      }
      now = packed.number(7);
      corrupt = (int) packed.number(1);
      for (int i = 0; i < counters; i++) {
        if (states[i] == null) {
          states[i] = new State();
        }
        inserted += packed.state(states[i]) ? 0 : 1;
      }
    } catch (ArrayIndexOutOfBoundsException | IllegalStateException e) {
      throw new StoreException(StoreException.Kind.GARBLED, "its answer cannot be read");
    }
    if (!packed.isAtEnd()) {
      throw new StoreException(StoreException.Kind.GARBLED, "its answer is too long");
    }
    int claim = 0;
    for (int g = 0; g < groups; g++) {
      Ask ask = head(g);
      int size = ask.claims().length;
      while (true) {
        Ask next = ask.next;
        Outcome[] outcomes = judge(ask, claim, now);
        if (ask.mode() == Mode.TAKE) {
          refusals.remember(ask.claims(), outcomes, sent);
        }
        ask.answer(outcomes, at);
        if (next == null) {
          break;
        }
        ask = next;
      }
      claim += size;
    }
    return new Answer(corrupt, inserted);
  }

  /**
   * What the lane learns from an answer.
   *
   * @param corrupt how many states could not be read
   * @param inserted how many counters were not there before
   */
  record Answer(int corrupt, int inserted) {}

  private Outcome[] judge(Ask ask, int claim, long now) {
    long when = ask.when(now);
    if (ask.claims().length == 1) {
      State s = states[counterOf[claim]];
      Outcome[] outcomes = {Decide.decide(ask.claims()[0], s, ask.mode(), now, when)};
      s.clearNotes();
      return outcomes;
    }
    @Nullable State[] theirs = new State[ask.claims().length];
    for (int i = 0; i < theirs.length; i++) {
      theirs[i] = states[counterOf[claim + i]];
    }
    Outcome[] outcomes = Decide.decide(ask.claims(), theirs, ask.mode(), now, when);
    for (int i = 0; i < theirs.length; i++) {
      states[counterOf[claim + i]].clearNotes();
    }
    return outcomes;
  }

  /** Fails every request. */
  void fail(StoreException reason) {
    for (int g = 0; g < groups; g++) {
      for (Ask ask = heads[g]; ask != null; ) {
        Ask next = ask.next;
        ask.fail(reason);
        ask = next;
      }
    }
  }

  void clear() {
    wording.clear();
    for (int i = 0; i < counters; i++) {
      slots[slotOf[i]] = 0;
    }
    Arrays.fill(heads, 0, groups, null);
    Arrays.fill(tails, 0, groups, null);
    counters = 0;
    groups = 0;
    claims = 0;
    asks = 0;
  }

  Ask head(int group) {
    Ask ask = heads[group];
    if (ask == null) {
      throw new IllegalStateException("there is no group " + group);
    }
    return ask;
  }

  /** The place of a key among the counters, new if need be. */
  private int counter(long key) {
    int slot = (int) (key ^ key >>> 32) & (SLOTS - 1);
    while (slots[slot] != 0) {
      int counter = slots[slot] - 1;
      if (keys[counter] == key) {
        return counter;
      }
      slot = (slot + 1) & (SLOTS - 1);
    }
    int counter = counters++;
    slots[slot] = counter + 1;
    slotOf[counter] = slot;
    keys[counter] = key;
    groupOf[counter] = -1;
    uses[counter] = 0;
    return counter;
  }

  /** Whether one asks exactly what the other does, so that one charge can serve both. */
  private static boolean isLike(Ask a, Ask b) {
    return a.mode() == Mode.TAKE
        && b.mode() == Mode.TAKE
        && Refusals.isSame(a.claims(), b.claims());
  }
}
