package io.weir.store;

import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.rule.StoreFailureFallback;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers for a store that does not: open, closed, or from this node's share of the budget.
 *
 * <p>All or nothing here too: if an enforcing rule is closed, no share is charged.
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
   * Answers, and charges the shares as the mode says. What is dated earlier was charged in the
   * store, or is to be: the shares know nothing of it.
   */
  ClaimOutcome[] decide(Claim[] claims, StoreOperation mode, long when) {
    long now = clock.micros();
    @Nullable ClaimOutcome[] outcomes = new ClaimOutcome[claims.length];
    boolean closed = false;
    List<Claim> local = new ArrayList<>();
    for (int i = 0; i < claims.length; i++) {
      Claim claim = claims[i];
      Limit share = claim.limit().localFallback();
      if (share != null && !costExceedsLimit(claim, mode)) {
        local.add(new Claim(share, claim.key(), claim.cost()));
        continue;
      }
      outcomes[i] = decide(claim, mode, now);
      closed |= !outcomes[i].admitted() && !claim.limit().shadow();
    }
    if (!local.isEmpty()) {
      boolean charges =
          mode == StoreOperation.TAKE ? !closed : mode != StoreOperation.LEASE && when == Store.NOW;
      StoreOperation how = charges ? mode : StoreOperation.PEEK;
      ClaimOutcome[] parts = localShares().apply(local.toArray(new Claim[0]), how).join();
      for (int i = 0, k = 0; i < claims.length; i++) {
        if (outcomes[i] == null) {
          outcomes[i] = asFallback(parts[k++], now);
        }
      }
    }
    return outcomes;
  }

  /** The rule's fallback, or a refusal of what can never fit. */
  static ClaimOutcome decide(Claim claim, StoreOperation mode, long now) {
    return costExceedsLimit(claim, mode)
        ? new ClaimOutcome(false, true, 0, 0, NEVER, now)
        : ClaimOutcome.degraded(
            claim.limit().rule().fallback().action() != StoreFailureFallback.FallbackAction.CLOSED,
            now);
  }

  /** Whether a cost is above the limit: no count is needed to refuse it. */
  private static boolean costExceedsLimit(Claim claim, StoreOperation mode) {
    long most = claim.limit().capacity();
    return most == 0
        || (claim.cost() > most && (mode == StoreOperation.TAKE || mode == StoreOperation.PEEK));
  }

  /** What never fits a share may well fit the whole, once the store is back. */
  private static ClaimOutcome asFallback(ClaimOutcome o, long now) {
    return o.costExceedsLimit()
        ? ClaimOutcome.degraded(false, now)
        : new ClaimOutcome(o.admitted(), true, o.remaining(), o.reset(), o.delayOrWait(), now);
  }

  private MemoryStore localShares() {
    MemoryStore made = localShares;
    if (made == null) {
      synchronized (this) {
        made = localShares;
        if (made == null) {
          made = new MemoryStore(clock, MAX_SHARES_BYTES);
          localShares = made;
        }
      }
    }
    return made;
  }
}
