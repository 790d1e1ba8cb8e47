package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.algorithm.State;
import io.weir.algorithm.Terms;
import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.store.Ask;
import io.weir.store.Decide;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.StoreException;
import java.util.Arrays;
import java.util.concurrent.Future;
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
  private static final int ALONE = 4;
  private static final int CAPACITY = ENOUGH_CLAIMS + MAX_CLAIMS;

  /* The counters: each key once, found by a small hash table. */
  private final long[] keys = new long[CAPACITY];
  private final State[] states = new State[CAPACITY];
  private final int[] slots = new int[SLOTS];
  private final int[] slotOf = new int[CAPACITY];
  private final int[] groupOf = new int[CAPACITY];
  private final int[] uses = new int[CAPACITY];
  private int counters;

  private final @Nullable Limit[] limits = new Limit[CAPACITY];
  private int limitCount;

  /* The groups of requests that ask the same, and the counters of their claims one after another. */
  private final @Nullable Ask[] heads = new Ask[CAPACITY];
  private final @Nullable Ask[] tails = new Ask[CAPACITY];
  private final int[] sizes = new int[CAPACITY];
  private final int[] counterOf = new int[CAPACITY];
  private int groups;
  private int claims;
  private int asks;

  private final Bytes bytes = new Bytes();

  /** When it was sent, in microseconds of the node's clock. */
  long sent;

  /** What its answer must begin with. */
  int number;

  /** The call it was sent with. */
  @Nullable Future<?> call;

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

  /** What the script is called with. */
  byte[][] arguments(long now, int cut) {
    bytes.clear();
    int claim = 0;
    for (int g = 0; g < groups; ) {
      int repeats = repeats(g, claim);
      write(head(g), claim, sizes[g], repeats);
      claim += repeats * head(g).claims().length;
      g += repeats;
    }
    byte[] requests = bytes.copy();
    bytes.clear();
    for (int i = 0; i < limitCount; i++) {
      describe(limits[i]);
    }
    byte[] described = bytes.copy();
    bytes.clear();
    for (int i = 0; i < counters; i++) {
      bytes.number(Long.reverseBytes(keys[i]), 8); // the caller's part first
    }
    return new byte[][] {head(now, cut), described, requests, bytes.copy()};
  }

  /** How many groups from this one on have its shape and use the counters right after its own. */
  private int repeats(int group, int claim) {
    Ask first = head(group);
    int size = first.claims().length;
    int count = 1;
    while (group + count < groups
        && sizes[group + count] == sizes[group]
        && isShapedLike(first, head(group + count))
        && isAlone(first, claim) == isAlone(first, claim + count * size)
        && follow(claim, claim + count * size, size, count * size)) {
      count++;
    }
    return count;
  }

  /** Whether one asks exactly what the other does, so that one charge can serve both. */
  private static boolean isLike(Ask a, Ask b) {
    return a.mode() == Mode.TAKE
        && b.mode() == Mode.TAKE
        && Refusals.isSame(a.claims(), b.claims());
  }

  /** Whether a request has one claim, on a counter that is no other's. */
  private boolean isAlone(Ask ask, int claim) {
    return ask.claims().length == 1 && uses[counterOf[claim]] == 1;
  }

  private static boolean isShapedLike(Ask a, Ask b) {
    if (a.mode() == Mode.REFUND || a.mode() != b.mode() || a.claims().length != b.claims().length) {
      return false;
    }
    for (int i = 0; i < a.claims().length; i++) {
      if (a.claims()[i].limit() != b.claims()[i].limit()
          || a.claims()[i].cost() != b.claims()[i].cost()) {
        return false;
      }
    }
    return true;
  }

  /** Whether the counters of some claims are those of others, moved on by {@code distance}. */
  private boolean follow(int claim, int other, int size, int distance) {
    for (int i = 0; i < size; i++) {
      if (counterOf[other + i] != counterOf[claim + i] + distance) {
        return false;
      }
    }
    return true;
  }

  private void write(Ask ask, int claim, int alike, int repeats) {
    int first = counterOf[claim];
    for (int i = 1; i < ask.claims().length; i++) {
      first = Math.min(first, counterOf[claim + i]);
    }
    int how = wire(ask.mode()) + (isAlone(ask, claim) ? ALONE : 0);
    bytes.number(repeats, 2).number(how, 1).number(alike, 2);
    bytes.number(first + 1, 2).number(ask.claims().length, 2);
    for (int i = 0; i < ask.claims().length; i++) {
      Claim one = ask.claims()[i];
      bytes.number(counterOf[claim + i] - first, 2).number(limit(one.limit()) + 1, 2);
      if (one.cost() < 256) {
        bytes.number(one.cost(), 1);
      } else {
        bytes.number(0, 1).number(one.cost(), 7);
      }
    }
    if (ask.mode() == Mode.REFUND) {
      bytes.number(ask.when(Terms.MAX_EXACT), 7);
    }
  }

  private byte[] head(long now, int cut) {
    Bytes head = new Bytes();
    return head.number(number, 4).number(now, 7).number(cut, 1).copy();
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
    return new Answer(now, corrupt, inserted);
  }

  /**
   * What the lane learns from an answer.
   *
   * @param corrupt how many states could not be read
   * @param inserted how many counters were not there before
   */
  record Answer(long time, int corrupt, int inserted) {}

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
    for (int i = 0; i < counters; i++) {
      slots[slotOf[i]] = 0;
    }
    Arrays.fill(heads, 0, groups, null);
    Arrays.fill(tails, 0, groups, null);
    Arrays.fill(limits, 0, limitCount, null);
    counters = 0;
    limitCount = 0;
    groups = 0;
    claims = 0;
    asks = 0;
  }

  private Ask head(int group) {
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

  /** The place of a limit among the limits, new if need be. The last ones are the likeliest. */
  private int limit(Limit limit) {
    for (int i = limitCount - 1; i >= 0; i--) {
      if (limits[i] == limit) {
        return i;
      }
    }
    limits[limitCount] = limit;
    return limitCount++;
  }

  private void describe(@Nullable Limit limit) {
    if (limit != null) {
      Terms t = limit.terms();
      byte[] name = limit.algorithm().name().getBytes(US_ASCII);
      bytes.number(name.length, 1).add(name).number(limit.shadow() ? 1 : 0, 1);
      bytes.number(t.permits(), 7).number(t.period(), 7).number(t.burst(), 7);
      bytes.number(t.coolDown(), 7).number(t.unit(), 7).number(t.p(), 7).number(t.q(), 7);
      bytes.number(t.slices(), 7);
    }
  }

  private static int wire(Mode mode) {
    return switch (mode) {
      case TAKE -> 0;
      case PEEK -> 1;
      case FORCE -> 2;
      case REFUND -> 3;
    };
  }
}
