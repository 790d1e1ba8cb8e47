package io.weir;

import java.util.concurrent.CompletableFuture;

/**
 * Permits charged now for work whose true cost is known afterwards. Settled once, by the first of
 * commit, cancel and expiry.
 */
public interface Reservation {

  /** How far a reservation has come. */
  enum State {
    /** It can be committed or cancelled. */
    OPEN,
    /** The store has counted it at its true cost, or there was nothing to tell the store. */
    SETTLED,
    /** It is settled, and the store, which is unavailable, will be told when it answers again. */
    PENDING,
    /**
     * It is settled, and the store may or may not have given back what it was asked to: it did not
     * answer. This is not repeated, so that nobody gets permits twice.
     */
    UNCONFIRMED
  }

  /** What was decided; if it was refused, nothing is held. */
  Decision decision();

  /**
   * Settles at the true cost: gives back what was reserved too much, charges what was too little.
   * If the store did not answer when it was reserved, all of the cost is charged now.
   *
   * @param cost the true cost, 0 or more
   * @return whether the reservation was still open, when the store has answered or has failed to;
   *     {@link #state} then says whether the store knows
   */
  CompletableFuture<Boolean> commit(long cost);

  /** Gives everything back; whether the reservation was still open. */
  default CompletableFuture<Boolean> cancel() {
    return commit(0);
  }

  /** How far it has come; one that was refused is settled. */
  State state();
}
