package io.weir.internal.algorithm.slidinglog;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;

/**
 * Stores every charge for one period, so that no trailing window ever exceeds the limit.
 *
 * <p>State: the charges as {@code entries}, oldest first, and their sum as {@code used}, as of
 * {@code time}. Memory grows with the limit, which is therefore bounded.
 */
public final class SlidingLog implements Algorithm {
  /** Bounds the cost of a decision in Redis, which copies the log: see docs/internals/decisions. */
  private static final long MAX_PERMITS = 2_000;

  @Override
  public String name() {
    return "sliding-log";
  }

  @Override
  public void advance(LimitParameters params, CounterState state, long now) {
    if (state.time > now) {
      for (int i = state.entriesLength - 2; i >= 0 && state.entries[i] > now; i -= 2) {
        state.entries[i] = now;
      }
    }
    state.time = now;
    int removed = 0;
    while (removed < state.entriesLength && state.entries[removed] <= now - params.periodMicros()) {
      state.used -= state.entries[removed + 1];
      removed += 2;
    }
    remove(state, 0, removed);
    if (state.entriesLength == 0) {
      state.used = 0; // repairs a corrupt state
    }
  }

  @Override
  public long available(LimitParameters params, CounterState state, long now) {
    return Math.max(0, params.permits() - state.used);
  }

  @Override
  public long debt(LimitParameters params, CounterState state, long now) {
    return Math.max(0, state.used - params.permits());
  }

  @Override
  public void charge(LimitParameters params, CounterState state, long when, long cost) {
    if (when <= state.time - params.periodMicros()) {
      return; // already expired
    }
    int at = state.entriesLength;
    while (at > 0 && state.entries[at - 2] > when) {
      at -= 2;
    }
    long maxUsed = 2 * params.permits();
    long taken = Math.min(cost, maxUsed);
    if (taken > 0) {
      insert(state, at, when, taken);
      removeOldest(state, state.used - maxUsed);
    } else {
      removeNewest(state, at, -cost);
    }
  }

  @Override
  public long waitTime(LimitParameters params, CounterState state, long now, long cost) {
    long excess = state.used + cost - params.permits();
    int i = 0;
    while (excess > 0) {
      excess -= state.entries[i + 1];
      i += 2;
    }
    return i == 0 ? 0 : state.entries[i - 2] + params.periodMicros() - now;
  }

  @Override
  public WindowModel windowModel() {
    return WindowModel.TRAILING;
  }

  @Override
  public long capacity(LimitParameters params) {
    return params.permits();
  }

  @Override
  public void check(LimitParameters params) {
    if (params.permits() > MAX_PERMITS) {
      throw new IllegalArgumentException(
          "must allow at most "
              + MAX_PERMITS
              + " permits with algorithm: sliding-log (was "
              + params.permits()
              + "), because it stores each charge; for more use algorithm: sliding-counter");
    }
  }

  /** Inserts a charge at position {@code at}, merging it with one of the same time. */
  private static void insert(CounterState state, int at, long when, long cost) {
    state.used += cost;
    if (at > 0 && state.entries[at - 2] == when) {
      state.entries[at - 1] += cost;
      return;
    }
    state.ensureCapacity(2);
    System.arraycopy(state.entries, at, state.entries, at + 2, state.entriesLength - at);
    state.entries[at] = when;
    state.entries[at + 1] = cost;
    state.entriesLength += 2;
  }

  /** Removes {@code cost} from the charges before position {@code at}, newest first. */
  private static void removeNewest(CounterState state, int at, long cost) {
    long left = cost;
    while (at > 0 && left > 0) {
      long part = Math.min(left, state.entries[at - 1]);
      state.entries[at - 1] -= part;
      state.used -= part;
      left -= part;
      if (state.entries[at - 1] == 0) {
        remove(state, at - 2, at);
      }
      at -= 2;
    }
  }

  /** Removes {@code excess} permits from the oldest charges, which expire first. */
  private static void removeOldest(CounterState state, long excess) {
    long left = excess;
    int removed = 0;
    while (left > 0 && removed < state.entriesLength) {
      long part = Math.min(left, state.entries[removed + 1]);
      state.entries[removed + 1] -= part;
      state.used -= part;
      left -= part;
      removed += state.entries[removed + 1] == 0 ? 2 : 0;
    }
    remove(state, 0, removed);
  }

  private static void remove(CounterState state, int from, int to) {
    System.arraycopy(state.entries, to, state.entries, from, state.entriesLength - to);
    state.entriesLength -= to - from;
  }
}
