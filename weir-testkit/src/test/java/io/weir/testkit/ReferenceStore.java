package io.weir.testkit;

import io.weir.internal.algorithm.CounterState;
import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimEvaluator;
import io.weir.internal.store.ClaimOutcome;
import io.weir.store.StoreOperation;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The simplest possible store, as a reference for others: a map that never removes a state. */
final class ReferenceStore {
  private final Map<Long, CounterState> states = new HashMap<>();

  ClaimOutcome[] apply(Claim[] claims, StoreOperation operation, long now, long when) {
    CounterState[] statesOfClaims = new CounterState[claims.length];
    Map<Long, CounterState> copies = new HashMap<>();
    for (int i = 0; i < claims.length; i++) {
      statesOfClaims[i] = copies.computeIfAbsent(claims[i].key(), key -> copy(states.get(key)));
    }
    ClaimOutcome[] outcomes = ClaimEvaluator.evaluate(claims, statesOfClaims, operation, now, when);
    copies.forEach(
        (key, state) -> {
          if (state.changed) {
            states.put(key, copy(state));
          }
        });
    return outcomes;
  }

  private static CounterState copy(@Nullable CounterState state) {
    CounterState copy = new CounterState();
    if (state != null) {
      copy.copyFrom(state);
    }
    return copy;
  }
}
