package io.weir.store;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import java.util.concurrent.CompletableFuture;

/**
 * Where counters live. Its whole duty is to judge the claims of one decision and charge them, in
 * one atomic step.
 *
 * <p>An implementation is safe for any number of threads and never completes exceptionally: what it
 * cannot answer it answers by the rule's posture, with {@link ClaimOutcome#degraded}. One that may
 * be late or fail is a {@link RemoteStore} behind a {@link StoreFailureGuard}, which sees to that.
 */
public interface Store extends AutoCloseable {
  /** The time of the decision, whenever that will be. */
  long NOW = Long.MAX_VALUE;

  /**
   * Judges all claims at one moment and charges them as the mode says. Claims on the same key are
   * judged in turn, each after those before it. A claim of a shadow rule is judged and, if it fits
   * and the rest is charged, charged; it never keeps the others from being charged.
   *
   * @param claims not written to, neither by the store nor, until it has answered, by the caller
   * @return one outcome per claim, in order
   */
  default CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation mode) {
    return apply(claims, mode, NOW);
  }

  /**
   * As above, for what counts from an earlier time of this store: permits that were used then, or
   * were charged then and are given back, such as a reservation's. What would have been forgotten
   * since changes nothing.
   *
   * @param when {@link #NOW}, or earlier where the mode is to force or to refund
   */
  CompletableFuture<ClaimOutcome[]> apply(Claim[] claims, StoreOperation mode, long when);

  /** How callers become keys here; nodes that share a store share it. */
  Fingerprint fingerprint();

  /** Whether it is expected to answer now, as far as this node knows; cheap to ask. */
  default boolean isAvailable() {
    return health().available();
  }

  /** How it fares. */
  default StoreHealth health() {
    return StoreHealth.ALWAYS_AVAILABLE;
  }

  /** Ends what the store started; it must not be asked any more. */
  @Override
  default void close() {}
}
