package io.weir.internal.store.nodes;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.store.StoreHealth;
import io.weir.store.StoreOperation;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A shared store in which this node holds slots of in-flight limits. A refund of slots changes the
 * table of this node and is reported to the store; it never fails, and needs no answer.
 *
 * @param shared the store; it announces {@code slots} with each call
 */
public record SlotHoldingStore(ClaimStore shared, HeldSlots slots) implements ClaimStore {

  @Override
  public CompletableFuture<ClaimOutcome[]> apply(
      Claim[] claims, StoreOperation operation, long when) {
    if (operation != StoreOperation.REFUND || !HeldSlots.isUsedBy(claims)) {
      return shared.apply(claims, operation, when);
    }
    slots.release(HeldSlots.select(claims, true), shared);
    List<Claim> others = HeldSlots.select(claims, false);
    return shared
        .apply(others.toArray(new Claim[0]), operation, when)
        .thenApply(outcomes -> merge(claims, outcomes));
  }

  /** Returns one outcome per claim; the slots are released without a store's answer. */
  private static ClaimOutcome[] merge(Claim[] claims, ClaimOutcome[] ofOthers) {
    ClaimOutcome[] outcomes = new ClaimOutcome[claims.length];
    for (int i = 0, k = 0; i < claims.length; i++) {
      outcomes[i] =
          claims[i].limit().isInFlight()
              ? new ClaimOutcome(true, false, 0, 0, 0, 0)
              : ofOthers[k++];
    }
    return outcomes;
  }

  @Override
  public Fingerprint fingerprint() {
    return shared.fingerprint();
  }

  @Override
  public boolean isAvailable() {
    return shared.isAvailable();
  }

  @Override
  public StoreHealth health() {
    return shared.health();
  }

  @Override
  public void close() {
    shared.close();
  }
}
