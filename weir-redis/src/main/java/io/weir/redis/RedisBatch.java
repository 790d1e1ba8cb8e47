package io.weir.redis;

import io.weir.algorithm.CounterState;
import io.weir.rule.Claim;
import io.weir.store.ClaimEvaluator;
import io.weir.store.ClaimOutcome;
import io.weir.store.PendingDecision;
import io.weir.store.StoreException;
import io.weir.store.StoreOperation;
import io.weir.store.nodes.RefusalCache;
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
final class RedisBatch {
  /** The most limits one request may be held against. */
  static final int MAX_CLAIMS = 1000;

  private static final int TARGET_CLAIMS = 250;
  private static final int HASH_SLOTS = 4096;
  private static final int MAX_GROUP_SIZE = 0xFFFF;
  static final int MAX_COUNTERS = TARGET_CLAIMS + MAX_CLAIMS;

  /* The counters: each key once, found by a small hash table. */
  final long[] counterKeys = new long[MAX_COUNTERS];
  private final CounterState[] counterStates = new CounterState[MAX_COUNTERS];
  private final int[] hashSlots = new int[HASH_SLOTS];
  private final int[] slotOfCounter = new int[MAX_COUNTERS];
  private final int[] groupOfCounter = new int[MAX_COUNTERS];
  final int[] claimsOfCounter = new int[MAX_COUNTERS];
  int counterCount;

  /* The groups of requests that ask the same, and the counters of their claims one after another. */
  final @Nullable PendingDecision[] groupHeads = new PendingDecision[MAX_COUNTERS];
  private final @Nullable PendingDecision[] groupTails = new PendingDecision[MAX_COUNTERS];
  final int[] groupSizes = new int[MAX_COUNTERS];
  final int[] counterOfClaim = new int[MAX_COUNTERS];
  int groupCount;
  private int claimCount;
  private int requestCount;

  /** What the script is called with. */
  final RequestEncoder encoder = new RequestEncoder(this);

  /** When it was sent, in microseconds of the node's clock. */
  long sentMicros;

  /** What its answer must begin with. */
  int callNumber;

  int requestCount() {
    return requestCount;
  }

  boolean isFull() {
    return claimCount >= TARGET_CLAIMS;
  }

  /** Adds a request of at most {@link #MAX_CLAIMS} claims; there must be room. */
  void add(PendingDecision ask) {
    requestCount++;
    ask.next = null;
    int first = counterIndex(ask.claims()[0].key());
    int group = groupOfCounter[first];
    if (group >= 0 && groupSizes[group] < MAX_GROUP_SIZE && canShareCharge(ask, groupHead(group))) {
      PendingDecision tail = groupTails[group];
      if (tail != null) {
        tail.next = ask;
      }
      groupTails[group] = ask;
      groupSizes[group]++;
      return;
    }
    group = groupCount++;
    groupHeads[group] = ask;
    groupTails[group] = ask;
    groupSizes[group] = 1;
    int from = claimCount;
    boolean distinct = true;
    for (Claim claim : ask.claims()) {
      int counter = counterIndex(claim.key());
      for (int i = from; i < claimCount; i++) {
        distinct &= counterOfClaim[i] != counter;
      }
      counterOfClaim[claimCount++] = counter;
      claimsOfCounter[counter]++;
    }
    groupOfCounter[first] =
        distinct ? group : -1; // one that asks twice of a counter is judged alone
  }

  /**
   * Computes every request's outcomes from what the script answered and tells them.
   *
   * @param at when the answer came, by the guard's clock
   * @throws StoreException if the answer is not one to this call
   */
  BatchResult complete(byte[] reply, RefusalCache refusals, long at) {
    ReplyDecoder packed = new ReplyDecoder(reply);
    long now;
    int corrupt;
    int inserted = 0;
    try {
      if (packed.readNumber(4) != (callNumber & 0xFFFF_FFFFL)) {
        throw new StoreException(
            StoreException.StoreFailureKind.GARBLED, "it answered another question");
      }
      now = packed.readNumber(7);
      corrupt = (int) packed.readNumber(1);
      for (int i = 0; i < counterCount; i++) {
        if (counterStates[i] == null) {
          counterStates[i] = new CounterState();
        }
        inserted += packed.readState(counterStates[i]) ? 0 : 1;
      }
    } catch (ArrayIndexOutOfBoundsException | IllegalStateException e) {
      throw new StoreException(
          StoreException.StoreFailureKind.GARBLED, "its answer cannot be read");
    }
    if (!packed.isAtEnd()) {
      throw new StoreException(StoreException.StoreFailureKind.GARBLED, "its answer is too long");
    }
    int claim = 0;
    for (int g = 0; g < groupCount; g++) {
      PendingDecision ask = groupHead(g);
      int size = ask.claims().length;
      while (true) {
        PendingDecision next = ask.next;
        ClaimOutcome[] outcomes = computeOutcomes(ask, claim, now);
        if (ask.operation() == StoreOperation.TAKE) {
          refusals.put(ask.claims(), outcomes, sentMicros);
        }
        ask.answer(outcomes, at);
        if (next == null) {
          break;
        }
        ask = next;
      }
      claim += size;
    }
    return new BatchResult(corrupt, inserted);
  }

  /**
   * What the lane learns from an answer.
   *
   * @param corruptStates how many states could not be read
   * @param newCounters how many counters were not there before
   */
  record BatchResult(int corruptStates, int newCounters) {}

  private ClaimOutcome[] computeOutcomes(PendingDecision ask, int claim, long now) {
    long when = ask.chargeTime(now);
    if (ask.claims().length == 1) {
      CounterState s = counterStates[counterOfClaim[claim]];
      ClaimOutcome[] outcomes = {
        ClaimEvaluator.evaluate(ask.claims()[0], s, ask.operation(), now, when)
      };
      s.clearScratch();
      return outcomes;
    }
    @Nullable CounterState[] theirs = new CounterState[ask.claims().length];
    for (int i = 0; i < theirs.length; i++) {
      theirs[i] = counterStates[counterOfClaim[claim + i]];
    }
    ClaimOutcome[] outcomes =
        ClaimEvaluator.evaluate(ask.claims(), theirs, ask.operation(), now, when);
    for (int i = 0; i < theirs.length; i++) {
      counterStates[counterOfClaim[claim + i]].clearScratch();
    }
    return outcomes;
  }

  /** Fails every request. */
  void fail(StoreException reason) {
    for (int g = 0; g < groupCount; g++) {
      for (PendingDecision ask = groupHeads[g]; ask != null; ) {
        PendingDecision next = ask.next;
        ask.fail(reason);
        ask = next;
      }
    }
  }

  void clear() {
    encoder.clear();
    for (int i = 0; i < counterCount; i++) {
      hashSlots[slotOfCounter[i]] = 0;
    }
    Arrays.fill(groupHeads, 0, groupCount, null);
    Arrays.fill(groupTails, 0, groupCount, null);
    counterCount = 0;
    groupCount = 0;
    claimCount = 0;
    requestCount = 0;
  }

  PendingDecision groupHead(int group) {
    PendingDecision ask = groupHeads[group];
    if (ask == null) {
      throw new IllegalStateException("there is no group " + group);
    }
    return ask;
  }

  /** The place of a key among the counters, new if need be. */
  private int counterIndex(long key) {
    int slot = (int) (key ^ key >>> 32) & (HASH_SLOTS - 1);
    while (hashSlots[slot] != 0) {
      int counter = hashSlots[slot] - 1;
      if (counterKeys[counter] == key) {
        return counter;
      }
      slot = (slot + 1) & (HASH_SLOTS - 1);
    }
    int counter = counterCount++;
    hashSlots[slot] = counter + 1;
    slotOfCounter[counter] = slot;
    counterKeys[counter] = key;
    groupOfCounter[counter] = -1;
    claimsOfCounter[counter] = 0;
    return counter;
  }

  /** Whether one asks exactly what the other does, so that one charge can serve both. */
  private static boolean canShareCharge(PendingDecision a, PendingDecision b) {
    return a.operation() == StoreOperation.TAKE
        && b.operation() == StoreOperation.TAKE
        && RefusalCache.isSameRequest(a.claims(), b.claims());
  }
}
