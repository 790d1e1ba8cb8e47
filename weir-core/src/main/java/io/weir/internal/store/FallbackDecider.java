package io.weir.internal.store;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides by the rules' fallbacks when a store does not answer: fail open, fail closed, or count a
 * local share of the budget.
 *
 * <p>All or nothing here too: if an enforcing rule fails closed, no share is charged.
 */
final class FallbackDecider {
  private static final long MAX_SHARES_BYTES = 64L << 20;
  private static final long NEVER = -1;

  private final Clock clock;
  private volatile @Nullable MemoryStore localShares;

  FallbackDecider(Clock clock) {
    this.clock = clock;
  }

  /**
   * Decides, and charges the local shares as the operation requires. A change with an earlier date
   * concerns the counters of the store only, so it does not affect the shares.
   */
  ClaimOutcome[] decide(Claim[] claims, StoreOperation operation, long when) {
    long now = clock.micros();
    @Nullable ClaimOutcome[] outcomes = new ClaimOutcome[claims.length];
    boolean closed = false;
    List<Claim> local = new ArrayList<>();
    for (int i = 0; i < claims.length; i++) {
      Claim claim = claims[i];
      Limit share = claim.limit().localFallback();
      if (share != null && !costExceedsLimit(claim, operation)) {
        local.add(new Claim(share, claim.key(), claim.cost()));
        continue;
      }
      outcomes[i] = decide(claim, operation, now);
      closed |= !outcomes[i].admitted() && !claim.limit().shadow();
    }
    if (!local.isEmpty()) {
      boolean charged =
          operation == StoreOperation.TAKE
              ? !closed
              : operation != StoreOperation.LEASE && when == ClaimStore.NOW;
      StoreOperation effective = charged ? operation : StoreOperation.PEEK;
      ClaimOutcome[] ofShares = localShares().apply(local.toArray(new Claim[0]), effective).join();
      for (int i = 0, k = 0; i < claims.length; i++) {
        if (outcomes[i] == null) {
          outcomes[i] = asFallback(ofShares[k++], now);
        }
      }
    }
    return outcomes;
  }

  /** The rule's fallback, or a refusal if the cost is above the limit. */
  static ClaimOutcome decide(Claim claim, StoreOperation operation, long now) {
    return costExceedsLimit(claim, operation)
        ? new ClaimOutcome(false, true, 0, 0, NEVER, now)
        : ClaimOutcome.degraded(
            claim.limit().rule().fallback().action() != StoreFailureFallback.FallbackAction.CLOSED,
            now);
  }

  /** Whether the cost is above the limit, so that it is refused without a counter. */
  private static boolean costExceedsLimit(Claim claim, StoreOperation operation) {
    long capacity = claim.limit().capacity();
    return capacity == 0
        || (claim.cost() > capacity
            && (operation == StoreOperation.TAKE || operation == StoreOperation.PEEK));
  }

  /** A cost above the share may be within the whole limit once the store answers again. */
  private static ClaimOutcome asFallback(ClaimOutcome o, long now) {
    return o.costExceedsLimit()
        ? ClaimOutcome.degraded(false, now)
        : new ClaimOutcome(o.admitted(), true, o.remaining(), o.reset(), o.delayOrWait(), now);
  }

  private MemoryStore localShares() {
    MemoryStore store = localShares;
    if (store == null) {
      synchronized (this) {
        store = localShares;
        if (store == null) {
          store = new MemoryStore(clock, MAX_SHARES_BYTES);
          localShares = store;
        }
      }
    }
    return store;
  }
}
