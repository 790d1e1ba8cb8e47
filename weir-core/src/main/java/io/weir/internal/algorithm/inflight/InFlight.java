package io.weir.internal.algorithm.inflight;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import java.security.SecureRandom;

/**
 * Counts the requests that run at the same time. A charge takes slots, a refund gives them back;
 * time gives none back, except those of a holder that has disappeared.
 *
 * <p>A state has one of two forms. In the memory of one process it is a single number, {@code
 * used}: the slots in use and a random mark of the process, so that a counter restored after a
 * restart is empty. It ends {@code periodMicros} (the rule's {@code held-at-most}) after {@code
 * time}, the last charge. In a shared store it has an entry per node, four numbers each: the node,
 * the sequence number of its last call, the slots it holds, and the end of its lease. The entry of
 * a node is replaced by what the node {@linkplain #announce announces} with every call; without a
 * call it ends with the lease.
 */
public final class InFlight implements Algorithm {
  /** The largest number of slots of a limit. */
  public static final int MAX_SLOTS = 1_000_000;

  /** The retry hint of a refusal: no one knows when a running request will end. */
  public static final long RETRY_MICROS = 1_000_000;

  /** The numbers of an entry: node, sequence number, slots held, end of the lease. */
  private static final int ENTRY_SIZE = 4;

  private static final int SLOT_BITS = 21;
  private static final long SLOT_MASK = (1L << SLOT_BITS) - 1;

  /** Marks the slots of this process; never 0. */
  private static final long PROCESS_MARK =
      (1 + new SecureRandom().nextInt(Integer.MAX_VALUE)) * (SLOT_MASK + 1);

  @Override
  public String name() {
    return "in-flight";
  }

  /**
   * Sets what a node holds, before a call of this node is evaluated on the state; the call's
   * charges are added to it. The numbers are absolute, so a call that was lost, repeated or lapsed
   * is corrected by the next one. A call that arrives after a later one of the same node changes
   * nothing, and nothing is available to it.
   *
   * @param node the node, from 1 to 2^48
   * @param sequence the number of the call, higher than those of all earlier calls of the node
   * @param held the slots that the node holds without those that the call asks for
   */
  public static void announce(
      CounterState state, long node, long sequence, long held, long leaseMicros, long now) {
    followClock(state, now);
    int at = entryOf(state, node);
    state.holder = node;
    state.outdated = at >= 0 && state.entries[at + 1] >= sequence;
    if (state.outdated) {
      return;
    }
    if (at < 0) {
      state.ensureCapacity(ENTRY_SIZE);
      at = state.entriesLength;
      state.entries[at] = node;
      state.entriesLength += ENTRY_SIZE;
    }
    state.entries[at + 1] = sequence;
    state.entries[at + 2] = held;
    state.entries[at + 3] = now + leaseMicros;
  }

  @Override
  public void advance(LimitParameters parameters, CounterState state, long now) {
    if (state.entriesLength == 0) {
      boolean valid = (state.used & ~SLOT_MASK) == PROCESS_MARK;
      if (!valid || now >= state.time + parameters.periodMicros()) {
        state.used = 0;
      }
      state.time = state.used == 0 ? now : Math.min(state.time, now);
      return;
    }
    followClock(state, now);
    int kept = 0;
    for (int at = 0; at < state.entriesLength; at += ENTRY_SIZE) {
      if (state.entries[at + 3] > now) {
        System.arraycopy(state.entries, at, state.entries, kept, ENTRY_SIZE);
        kept += ENTRY_SIZE;
      }
    }
    state.entriesLength = kept;
  }

  /** Moves the leases back with a clock that stepped back, so that they do not become longer. */
  private static void followClock(CounterState state, long now) {
    for (int at = 0; state.time > now && at < state.entriesLength; at += ENTRY_SIZE) {
      state.entries[at + 3] = Math.max(now, state.entries[at + 3] - (state.time - now));
    }
    if (state.entriesLength > 0 || state.holder != 0) {
      state.time = now;
    }
  }

  private static int entryOf(CounterState state, long node) {
    for (int at = 0; at < state.entriesLength; at += ENTRY_SIZE) {
      if (state.entries[at] == node) {
        return at;
      }
    }
    return -1;
  }

  private static long slotsInUse(CounterState state) {
    long sum = state.entriesLength == 0 ? state.used & SLOT_MASK : 0;
    for (int at = 0; at < state.entriesLength; at += ENTRY_SIZE) {
      sum += state.entries[at + 2];
    }
    return sum;
  }

  @Override
  public long available(LimitParameters parameters, CounterState state, long now) {
    return state.outdated ? 0 : Math.max(0, parameters.permits() - slotsInUse(state));
  }

  @Override
  public long debt(LimitParameters parameters, CounterState state, long now) {
    return Math.max(0, slotsInUse(state) - parameters.permits());
  }

  @Override
  public void charge(LimitParameters parameters, CounterState state, long when, long cost) {
    if (state.holder != 0) {
      int at = entryOf(state, state.holder);
      if (at >= 0 && cost > 0 && !state.outdated) {
        state.entries[at + 2] += Math.min(cost, MAX_SLOTS);
      }
      return;
    }
    long slots = (state.used & SLOT_MASK) + Math.max(-MAX_SLOTS, Math.min(cost, MAX_SLOTS));
    slots = Math.max(0, Math.min(slots, MAX_SLOTS));
    state.used = slots == 0 ? 0 : PROCESS_MARK + slots;
    if (cost > 0) {
      state.time = Math.max(state.time, when);
    }
  }

  @Override
  public void refund(
      LimitParameters parameters, CounterState state, long now, long when, long cost) {
    charge(parameters, state, now, -cost);
  }

  @Override
  public long waitTime(LimitParameters parameters, CounterState state, long now, long cost) {
    return cost <= available(parameters, state, now) ? 0 : RETRY_MICROS;
  }

  @Override
  public long resetTime(LimitParameters parameters, CounterState state, long now) {
    long end = 0;
    for (int at = 0; at < state.entriesLength; at += ENTRY_SIZE) {
      end = Math.max(end, state.entries[at + 3]);
    }
    if (state.entriesLength == 0 && state.used != 0) {
      end = state.time + parameters.periodMicros();
    }
    return Math.max(0, end - now);
  }

  @Override
  public WindowModel windowModel() {
    return WindowModel.TRAILING;
  }

  @Override
  public long capacity(LimitParameters parameters) {
    return parameters.permits();
  }
}
