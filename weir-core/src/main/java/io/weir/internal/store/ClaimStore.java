package io.weir.internal.store;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import java.util.concurrent.CompletableFuture;

/**
 * The store as the engine sees it: holds the counters, evaluates the claims of one decision and
 * charges them in one atomic step.
 *
 * <p>An implementation is safe for any number of threads and never completes exceptionally: where
 * it has no answer, the outcome is the rule's fallback, with {@link ClaimOutcome#degraded} set. A
 * store that may be late or fail is a {@link RemoteStore} behind a {@link StoreFailureGuard}, which
 * ensures that.
 */
public interface ClaimStore extends Store {
  /** Stands for the store's time at which the decision is made. */
  long NOW = Long.MAX_VALUE;

  /**
   * Evaluates all claims at one moment and charges them as the operation requires. Claims on the
   * same key are evaluated in order, each after those before it. A claim of a shadow rule is
   * charged if it is admitted and the others are charged; it never prevents the others from being
   * charged.
   *
   * @param claims never modified by the store; the caller must not modify it until the store has
   *     answered
   * @return one outcome per claim, in order
   */
  default CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation operation) {
    return apply(claims, operation, NOW);
  }

  /**
   * As above, but the change counts from an earlier time of this store: the permits were used then,
   * or were charged then and are refunded now, such as those of a reservation. A change that would
   * have expired since then has no effect.
   *
   * @param when {@link #NOW}, or an earlier time for {@link StoreOperation#FORCE} and {@link
   *     StoreOperation#REFUND}
   */
  CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation operation, long when);

  /** The hash that turns callers into keys; all nodes that share a store use the same one. */
  Fingerprint fingerprint();
}
