package io.weir;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Verdict;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Applies claims to a store, except those on limits that decide without a counter. If such a limit
 * refuses, nothing is charged.
 */
final class CountedClaims {
  private static final long NEVER = -1;

  private CountedClaims() {}

  static CompletableFuture<ClaimOutcome[]> apply(
      ClaimStore store, Clock clock, Claim[] claims, StoreOperation operation) {
    for (Claim claim : claims) {
      if (!claim.limit().isCounted()) {
        return applyMixed(store, clock, claims, operation);
      }
    }
    return store.apply(claims, operation);
  }

  private static CompletableFuture<ClaimOutcome[]> applyMixed(
      ClaimStore store, Clock clock, Claim[] claims, StoreOperation operation) {
    List<Claim> counted = new ArrayList<>();
    boolean refused = false;
    for (Claim claim : claims) {
      if (claim.limit().isCounted()) {
        counted.add(claim);
      } else {
        refused |= !claim.limit().shadow() && claim.limit().verdict() != Verdict.ALLOW;
      }
    }
    if (counted.isEmpty()) {
      return CompletableFuture.completedFuture(merge(claims, new ClaimOutcome[0], clock.micros()));
    }
    StoreOperation effective =
        refused && operation == StoreOperation.TAKE ? StoreOperation.PEEK : operation;
    return store
        .apply(counted.toArray(new Claim[0]), effective)
        .thenApply(outcomes -> merge(claims, outcomes, clock.micros()));
  }

  private static ClaimOutcome[] merge(Claim[] claims, ClaimOutcome[] counted, long now) {
    ClaimOutcome[] outcomes = new ClaimOutcome[claims.length];
    for (int i = 0, k = 0; i < claims.length; i++) {
      outcomes[i] =
          switch (claims[i].limit().verdict()) {
            case COUNT -> counted[k++];
            case ALLOW -> new ClaimOutcome(true, false, 0, 0, 0, now);
            case BLOCK, REFUSE_MISSING -> new ClaimOutcome(false, false, 0, 0, NEVER, now);
          };
    }
    return outcomes;
  }
}
