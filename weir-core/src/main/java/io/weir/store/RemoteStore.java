package io.weir.store;

import io.weir.rule.Fingerprint;

/**
 * A store that may be late, fail or never answer. A {@link StoreFailureGuard} makes it one that
 * always does.
 *
 * <p>Safe for any number of threads; asking never blocks.
 */
public interface RemoteStore extends AutoCloseable {
  /** No reply is owed. */
  long NO_REPLY_PENDING = Long.MAX_VALUE;

  /** Sees to a decision: sooner or later answers it or fails it, unless it is settled by then. */
  void submit(PendingDecision ask);

  /**
   * Since when the store has owed a reply: when the oldest call without one was sent, by the
   * guard's clock, or {@link #NO_REPLY_PENDING}. Time in which it owes none is not held against it.
   * By default it owes one all the time, as a store does that is sent every decision at once.
   */
  default long awaitingReplySince() {
    return Long.MIN_VALUE / 2;
  }

  /** How callers become keys here; nodes that share a store share it. */
  Fingerprint fingerprint();

  @Override
  default void close() {}
}
