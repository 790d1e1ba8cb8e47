package io.weir.redis;

import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.inflight.InFlight;
import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimEvaluator;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.PendingDecision;
import io.weir.internal.store.StoreException;
import io.weir.internal.store.nodes.HeldSlots;
import io.weir.internal.store.nodes.RefusalCache;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreOperation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A batch of requests that are sent in one script call.
 *
 * <p>The script charges the counters and replies with the state each had before. The outcomes are
 * computed here, by the same steps on the same states; tests check that Java and Lua take the same
 * steps. So the server does only the necessary work, and equal requests are encoded once, however
 * many there are.
 *
 * <p>Reused for one call after another. Not thread-safe.
 */
final class RedisBatch {
  /** The maximum number of limits per request. */
  static final int MAX_CLAIMS = 1000;

  private static final int TARGET_CLAIMS = 250;
  private static final int HASH_SLOTS = 4096;
  private static final int MAX_GROUP_SIZE = 0xFFFF;
  static final int MAX_COUNTERS = TARGET_CLAIMS + MAX_CLAIMS;

  /* The counters, each key once; a small hash table finds them. */
  final long[] counterKeys = new long[MAX_COUNTERS];
  private final CounterState[] counterStates = new CounterState[MAX_COUNTERS];
  private final int[] hashSlots = new int[HASH_SLOTS];
  private final int[] slotOfCounter = new int[MAX_COUNTERS];
  private final int[] groupOfCounter = new int[MAX_COUNTERS];
  final int[] claimsOfCounter = new int[MAX_COUNTERS];
  int counterCount;

  /* What this node holds of the counters of in-flight limits, as announced with the batch. */
  private final HeldSlots slots;
  final boolean[] isInFlight = new boolean[MAX_COUNTERS];
  final long[] announcedSlots = new long[MAX_COUNTERS];
  boolean usesSlots;
  long sequence;

  /* The groups of equal requests, and the counters of their claims in sequence. */
  final @Nullable PendingDecision[] groupHeads = new PendingDecision[MAX_COUNTERS];
  private final @Nullable PendingDecision[] groupTails = new PendingDecision[MAX_COUNTERS];
  final int[] groupSizes = new int[MAX_COUNTERS];
  final int[] counterOfClaim = new int[MAX_COUNTERS];
  int groupCount;
  private int claimCount;
  private int requestCount;

  /** Encodes the arguments of the script. */
  final RequestEncoder encoder = new RequestEncoder(this);

  /** When the batch was sent, by the node's clock. */
  long sentMicros;

  /** The number the reply must begin with. */
  int callNumber;

  RedisBatch(HeldSlots slots) {
    this.slots = slots;
  }

  int requestCount() {
    return requestCount;
  }

  boolean isFull() {
    return claimCount >= TARGET_CLAIMS;
  }

  /** Adds a request of at most {@link #MAX_CLAIMS} claims; the batch must not be full. */
  void add(PendingDecision request) {
    requestCount++;
    request.next = null;
    int first = counterIndex(request.claims()[0].key());
    int group = groupOfCounter[first];
    if (group >= 0
        && groupSizes[group] < MAX_GROUP_SIZE
        && canShareCharge(request, groupHead(group))) {
      PendingDecision tailRequest = groupTails[group];
      if (tailRequest != null) {
        tailRequest.next = request;
      }
      groupTails[group] = request;
      groupSizes[group]++;
      return;
    }
    group = groupCount++;
    groupHeads[group] = request;
    groupTails[group] = request;
    groupSizes[group] = 1;
    int from = claimCount;
    boolean distinct = true;
    for (Claim claim : request.claims()) {
      int counter = counterIndex(claim.key());
      for (int i = from; i < claimCount; i++) {
        distinct &= counterOfClaim[i] != counter;
      }
      counterOfClaim[claimCount++] = counter;
      claimsOfCounter[counter]++;
      if (claim.limit().isInFlight()) {
        isInFlight[counter] = true;
        usesSlots = true;
      }
    }
    groupOfCounter[first] =
        distinct ? group : -1; // requests with two claims on a counter share nothing
  }

  /** Reads what this node holds of the counters, to be sent with the batch. */
  void announceSlots() {
    sequence = slots.nextSequence();
    for (int i = 0; i < counterCount; i++) {
      if (isInFlight[i]) {
        announcedSlots[i] = slots.announce(counterKeys[i]);
      }
    }
  }

  long slotHolder() {
    return slots.node();
  }

  long slotLeaseMicros() {
    return slots.leaseMicros();
  }

  /**
   * Computes the outcomes of every request from the script's reply and completes the requests.
   *
   * @param repliedAtMicros when the reply arrived, by the clock of the StoreFailureGuard
   * @throws StoreException if the reply is not a valid reply to this call
   */
  BatchResult complete(byte[] reply, RefusalCache refusals, long repliedAtMicros) {
    ReplyDecoder decoder = new ReplyDecoder(reply);
    long now;
    int corrupt;
    int inserted = 0;
    try {
      if (decoder.readNumber(4) != (callNumber & 0xFFFF_FFFFL)) {
        throw new StoreException(StoreFailureKind.GARBLED, "the reply belongs to another call");
      }
      now = decoder.readNumber(7);
      corrupt = (int) decoder.readNumber(1);
      for (int i = 0; i < counterCount; i++) {
        if (counterStates[i] == null) {
          counterStates[i] = new CounterState();
        }
        inserted += decoder.readState(counterStates[i]) ? 0 : 1;
        if (isInFlight[i]) {
          InFlight.announce(
              counterStates[i],
              slots.node(),
              sequence,
              announcedSlots[i],
              slots.leaseMicros(),
              now);
        }
      }
    } catch (ArrayIndexOutOfBoundsException | IllegalStateException e) {
      throw new StoreException(StoreFailureKind.GARBLED, "the reply cannot be read");
    }
    if (!decoder.isAtEnd()) {
      throw new StoreException(StoreFailureKind.GARBLED, "the reply is too long");
    }
    int claim = 0;
    for (int group = 0; group < groupCount; group++) {
      PendingDecision request = groupHead(group);
      int size = request.claims().length;
      while (true) {
        PendingDecision next = request.next;
        ClaimOutcome[] outcomes = computeOutcomes(request, claim, now);
        if (request.operation() == StoreOperation.TAKE) {
          refusals.put(request.claims(), outcomes, sentMicros);
        }
        slots.answer(request, outcomes, repliedAtMicros);
        if (next == null) {
          break;
        }
        request = next;
      }
      claim += size;
    }
    for (int i = 0; usesSlots && i < counterCount; i++) {
      if (isInFlight[i]) {
        slots.confirm(counterKeys[i], announcedSlots[i]);
      }
    }
    return new BatchResult(corrupt, inserted);
  }

  /**
   * Counts from a reply.
   *
   * @param corruptStates the number of states that could not be read
   * @param newCounters the number of counters that did not exist before
   */
  record BatchResult(int corruptStates, int newCounters) {}

  private ClaimOutcome[] computeOutcomes(PendingDecision request, int claim, long now) {
    long when = request.chargeTime(now);
    if (request.claims().length == 1) {
      CounterState s = counterStates[counterOfClaim[claim]];
      ClaimOutcome[] outcomes = {
        ClaimEvaluator.evaluate(request.claims()[0], s, request.operation(), now, when)
      };
      s.clearScratch();
      return outcomes;
    }
    @Nullable CounterState[] claimStates = new CounterState[request.claims().length];
    for (int i = 0; i < claimStates.length; i++) {
      claimStates[i] = counterStates[counterOfClaim[claim + i]];
    }
    ClaimOutcome[] outcomes =
        ClaimEvaluator.evaluate(request.claims(), claimStates, request.operation(), now, when);
    for (int i = 0; i < claimStates.length; i++) {
      counterStates[counterOfClaim[claim + i]].clearScratch();
    }
    return outcomes;
  }

  /** Fails every request. */
  void fail(StoreException reason) {
    for (int group = 0; group < groupCount; group++) {
      for (PendingDecision request = groupHeads[group]; request != null; ) {
        PendingDecision next = request.next;
        request.fail(reason);
        request = next;
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
    Arrays.fill(isInFlight, 0, counterCount, false);
    usesSlots = false;
    counterCount = 0;
    groupCount = 0;
    claimCount = 0;
    requestCount = 0;
  }

  PendingDecision groupHead(int group) {
    PendingDecision request = groupHeads[group];
    if (request == null) {
      throw new IllegalStateException("there is no group " + group);
    }
    return request;
  }

  /** Returns the index of a key's counter; adds the counter if it is missing. */
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

  /** Returns whether two takes have the same claims, so that one charge can serve both. */
  private static boolean canShareCharge(PendingDecision a, PendingDecision b) {
    return a.operation() == StoreOperation.TAKE
        && b.operation() == StoreOperation.TAKE
        && RefusalCache.isSameRequest(a.claims(), b.claims());
  }
}
