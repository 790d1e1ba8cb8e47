package io.weir.store;

/** What a store does with the claims of a decision. */
public enum StoreOperation {
  /**
   * Charges all claims if every enforcing one is admitted, else none. Claims of deferred limits are
   * checked, but not charged.
   */
  TAKE,
  /** Returns the outcomes of {@link #TAKE} without charging anything. */
  PEEK,
  /** Charges all claims, even beyond their limits. */
  FORCE,
  /** Charges as many permits of each claim as are available. */
  LEASE,
  /** Returns the permits of each claim that are still counted, never more. */
  REFUND
}
