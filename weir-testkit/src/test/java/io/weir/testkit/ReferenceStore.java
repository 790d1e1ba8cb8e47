package io.weir.testkit;

import io.weir.algorithm.CounterState;
import io.weir.rule.Claim;
import io.weir.store.ClaimEvaluator;
import io.weir.store.ClaimOutcome;
import io.weir.store.StoreOperation;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The plainest store there can be, which others are held against: it forgets nothing, ever. */
final class ReferenceStore {
  private final Map<Long, CounterState> states = new HashMap<>();

  ClaimOutcome[] apply(Claim[] claims, StoreOperation mode, long now, long when) {
    CounterState[] theirs = new CounterState[claims.length];
    Map<Long, CounterState> copies = new HashMap<>();
    for (int i = 0; i < claims.length; i++) {
      theirs[i] = copies.computeIfAbsent(claims[i].key(), key -> copy(states.get(key)));
    }
    ClaimOutcome[] said = ClaimEvaluator.evaluate(claims, theirs, mode, now, when);
    copies.forEach(
        (key, state) -> {
          if (state.changed) {
            states.put(key, copy(state));
          }
        });
    return said;
  }

  private static CounterState copy(@Nullable CounterState state) {
    CounterState copy = new CounterState();
    if (state != null) {
      copy.copyFrom(state);
    }
    return copy;
  }
}
