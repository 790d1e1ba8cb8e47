package io.weir;

import java.util.concurrent.CompletableFuture;

/**
 * Permits that are charged now for work whose actual cost is known afterwards. Settled once, by the
 * first of commit, cancel and expiry.
 */
public interface Reservation {

  /** The state of a reservation. */
  enum State {
    /** It can be committed or canceled. */
    OPEN,
    /** The store has counted the actual cost, or no correction was necessary. */
    SETTLED,
    /** It is settled; the correction is sent when the unavailable store answers again. */
    PENDING,
    /**
     * It is settled, but the store did not answer and may or may not have applied the refund. The
     * refund is not repeated, so that permits are never refunded twice.
     */
    UNCONFIRMED
  }

  /** Returns the decision; a refused reservation holds no permits. */
  Decision decision();

  /**
   * Settles at the actual cost: refunds the difference if too much was reserved and charges it if
   * too little was. If the store did not answer when it was reserved, the whole cost is charged
   * now.
   *
   * @param cost the actual cost, 0 or more
   * @return whether the reservation was still open; completes when the store has answered or
   *     failed, after which {@link #state} tells whether the store has applied the correction
   */
  CompletableFuture<Boolean> commit(long cost);

  /** Refunds everything; returns whether the reservation was still open. */
  default CompletableFuture<Boolean> cancel() {
    return commit(0);
  }

  /** Returns the state; a refused reservation is settled. */
  State state();
}
