package io.weir.internal.store;

import io.weir.internal.rule.Fingerprint;

/**
 * A store that may be late, fail or never answer. A {@link StoreFailureGuard} turns it into a
 * {@link ClaimStore} that always answers in time.
 *
 * <p>Safe for any number of threads; submitting a decision never blocks.
 */
public interface RemoteStore extends AutoCloseable {
  /** No call is waiting for a reply. */
  long NO_REPLY_PENDING = Long.MAX_VALUE;

  /** Accepts a decision and answers or fails it sooner or later, unless it is settled by then. */
  void submit(PendingDecision decision);

  /**
   * The time at which the oldest call without a reply was sent, by the guard's clock, or {@link
   * #NO_REPLY_PENDING}. Only time in which a reply is pending counts towards the deadline. By
   * default a reply is always pending, which suits a store that is sent every decision at once.
   */
  default long awaitingReplySince() {
    return Long.MIN_VALUE / 2;
  }

  /** The hash that turns callers into keys; all nodes that share a store use the same one. */
  Fingerprint fingerprint();

  @Override
  default void close() {}
}
