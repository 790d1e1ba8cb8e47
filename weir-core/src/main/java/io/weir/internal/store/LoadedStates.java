package io.weir.internal.store;

import io.weir.internal.algorithm.CounterState;
import io.weir.internal.rule.Claim;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The states that one decision of the {@link MemoryStore} has loaded, while the locks of their
 * segments are held. Claims on the same key share one state. Confined to a thread and reused.
 */
final class LoadedStates {
  private CounterState[] pool = {};
  private @Nullable CounterState[] states = {};
  private boolean[] rejected = {};

  /** Starts a decision with that many claims. */
  void begin(int claims) {
    if (claims > pool.length) {
      pool = new CounterState[claims];
      Arrays.setAll(pool, i -> new CounterState());
      states = new CounterState[claims];
      rejected = new boolean[claims];
    }
    Arrays.fill(rejected, 0, claims, false);
  }

  /** The state of every claim; null where {@link #reserve} rejected it. */
  @Nullable CounterState[] states() {
    return states;
  }

  /**
   * Reads the states of all claims but the rejected ones.
   *
   * @return the time of the decision; later than {@code before} if another thread read the clock
   *     later but locked first, so that a state is newer
   */
  long load(Claim[] claims, MemoryStore store, long before) {
    long now = before;
    for (int i = 0; i < claims.length; i++) {
      int earlier = firstWithSameKey(claims, i);
      if (earlier >= 0) {
        states[i] = states[earlier];
        continue;
      }
      long key = MemoryStore.key(claims[i]);
      CounterState s = pool[i];
      CounterSegment segment = store.segment(key);
      segment.release();
      segment.load(key, s);
      if (s.time > now) {
        now = Math.max(now, store.micros());
      }
      states[i] = rejected[i] ? null : s;
    }
    return now;
  }

  /** Reserves space for every state that must be written; returns how many were rejected. */
  int reserve(Claim[] claims, MemoryStore store, long now) {
    int count = 0;
    for (int i = 0; i < claims.length; i++) {
      CounterState s = states[i];
      if (s == null || !s.changed || firstWithSameKey(claims, i) >= 0) {
        continue;
      }
      long key = MemoryStore.key(claims[i]);
      if (!store.segment(key).reserve(key, s, now)) {
        rejected[i] = true;
        count++;
      }
    }
    return count;
  }

  /** Writes every state that has changed. */
  void save(Claim[] claims, MemoryStore store, ClaimOutcome[] outcomes) {
    for (int i = 0; i < claims.length; i++) {
      CounterState s = states[i];
      if (s != null && s.changed) {
        long key = MemoryStore.key(claims[i]);
        save(store.segment(key), key, s, outcomes[i]);
      }
    }
  }

  static void save(CounterSegment segment, long key, CounterState s, ClaimOutcome o) {
    segment.save(key, s, o.time() + o.reset(), s.available == 0);
  }

  /** The first claim before claim i on the same key; -1 if there is none. */
  private static int firstWithSameKey(Claim[] claims, int i) {
    for (int k = 0; k < i; k++) {
      if (claims[k].key() == claims[i].key()) {
        return k;
      }
    }
    return -1;
  }
}
