package io.weir;

import java.util.concurrent.CompletableFuture;

/**
 * Permits charged now for work whose true cost is known afterwards; settled once, by whoever comes
 * first of commit, cancel and expiry.
 */
public interface Reservation {

  /** What was decided; if it was refused, nothing is held. */
  Decision decision();

  /**
   * Settles at the true cost: gives back what was reserved too much, charges what was too little.
   *
   * @param cost the true cost, 0 or more
   * @return whether the reservation was still open
   */
  CompletableFuture<Boolean> commit(long cost);

  /** Gives everything back; whether the reservation was still open. */
  default CompletableFuture<Boolean> cancel() {
    return commit(0);
  }
}
