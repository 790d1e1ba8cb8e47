package io.weir.lab.world;

import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.inflight.InFlight;
import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimEvaluator;
import io.weir.internal.store.ClaimOutcome;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The counters of decisions on in-flight limits in the simulated store. Each call announces what
 * its node holds, and is decided on the result, in one step. Not thread-safe.
 */
final class SimulatedSlots {
  private final Map<Long, CounterState> states = new HashMap<>();

  ClaimOutcome[] decide(SlotCall call, long now) {
    Claim[] claims = call.decision().claims();
    @Nullable CounterState[] ofClaims = new CounterState[claims.length];
    for (int i = 0; i < claims.length; i++) {
      CounterState state = states.computeIfAbsent(claims[i].key(), key -> new CounterState());
      state.clearScratch();
      state.outdated = false;
      state.holder = 0;
      if (claims[i].limit().isInFlight()) {
        InFlight.announce(
            state,
            call.holder().node(),
            call.sequence(),
            call.held(i),
            call.holder().leaseMicros(),
            now);
      }
      ofClaims[i] = state;
    }
    return ClaimEvaluator.evaluate(claims, ofClaims, call.decision().operation(), now, now);
  }
}
