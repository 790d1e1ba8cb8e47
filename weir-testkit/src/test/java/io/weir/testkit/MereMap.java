package io.weir.testkit;

import io.weir.algorithm.State;
import io.weir.rule.Claim;
import io.weir.store.Decide;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The plainest store there can be, which others are held against: it forgets nothing, ever. */
final class MereMap {
  private final Map<Long, State> states = new HashMap<>();

  Outcome[] take(Claim[] claims, Mode mode, long now, long when) {
    State[] theirs = new State[claims.length];
    Map<Long, State> copies = new HashMap<>();
    for (int i = 0; i < claims.length; i++) {
      theirs[i] = copies.computeIfAbsent(claims[i].key(), key -> copy(states.get(key)));
    }
    Outcome[] said = Decide.decide(claims, theirs, mode, now, when);
    copies.forEach(
        (key, state) -> {
          if (state.changed) {
            states.put(key, copy(state));
          }
        });
    return said;
  }

  private static State copy(@Nullable State state) {
    State copy = new State();
    if (state != null) {
      copy.copyFrom(state);
    }
    return copy;
  }
}
