package io.weir.store;

/** How a store is asked. */
public enum StoreOperation {
  /** Charge all claims if every enforcing one fits, else none. */
  TAKE,
  /** Say what taking would say; charge nothing. */
  PEEK,
  /** Charge all claims, whether they fit or not. */
  FORCE,
  /** Charge of each claim as much as fits. */
  LEASE,
  /** Give back what is still counted of each claim, never more. */
  REFUND
}
