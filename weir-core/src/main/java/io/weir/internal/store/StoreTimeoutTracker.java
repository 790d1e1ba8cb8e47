package io.weir.internal.store;

import java.util.ArrayDeque;

/**
 * Tracks the decisions pending for one store, and for how long the store left a reply outstanding
 * meanwhile. Used only by the ticks of a {@link DeadlineQueue}. Times are in microseconds.
 */
final class StoreTimeoutTracker {
  private final RemoteStore remote;
  private final ArrayDeque<PendingDecision> pending = new ArrayDeque<>();
  private long silentMicros;
  private boolean silentAtLastTick;

  StoreTimeoutTracker(RemoteStore remote) {
    this.remote = remote;
  }

  /**
   * Counts a tick as silence of the store if a reply is outstanding. If one was outstanding at the
   * last tick too, the whole tick counts, even if the store answered some calls in between:
   * decisions that are queued behind others also wait for the store.
   */
  void recordTick(long micros, long now) {
    long since = awaitingReplySince();
    boolean silent = since != RemoteStore.NO_REPLY_PENDING;
    if (silent) {
      silentMicros += silentAtLastTick ? micros : Math.min(micros, Math.max(0, now - since));
    }
    silentAtLastTick = silent;
  }

  /**
   * Adds a decision.
   *
   * @param waited how long it has waited already, at most a tick
   * @return whether it is the only pending decision
   */
  boolean add(PendingDecision decision, long waited, long now) {
    boolean first = pending.isEmpty();
    long since = awaitingReplySince();
    if (first) {
      silentAtLastTick = since != RemoteStore.NO_REPLY_PENDING;
    }
    long silent =
        since == RemoteStore.NO_REPLY_PENDING ? 0 : Math.min(waited, Math.max(0, now - since));
    decision.silenceAtStartMicros = silentMicros - silent;
    pending.add(decision);
    return first;
  }

  /** Returns whether no call has been unanswered for the deadline. */
  boolean isAnswering(long now, long deadline) {
    long since = awaitingReplySince();
    return since == RemoteStore.NO_REPLY_PENDING || now - since < deadline;
  }

  /** An exception of the remote store must not stop the deadlines of other stores. */
  private long awaitingReplySince() {
    try {
      return remote.awaitingReplySince();
    } catch (RuntimeException e) {
      return RemoteStore.NO_REPLY_PENDING;
    }
  }

  /**
   * Expires the decisions for which the store has been silent for the deadline.
   *
   * @param recheck whether to keep them until the replies have been read once more
   * @return how much longer the store may be silent until the next decision expires
   */
  long expireOverdue(long deadline, boolean recheck) {
    while (true) {
      dropSettled();
      PendingDecision first = pending.peek();
      if (first == null) {
        return Long.MAX_VALUE;
      }
      long left = first.silenceAtStartMicros + deadline - silentMicros;
      if (left > 0 || recheck) {
        return Math.max(0, left);
      }
      pending.remove();
      first.expire();
    }
  }

  private void dropSettled() {
    while (!pending.isEmpty() && pending.element().isSettled()) {
      pending.remove();
    }
  }

  boolean isEmpty() {
    return pending.isEmpty();
  }

  void expireAll() {
    pending.forEach(PendingDecision::expire);
    pending.clear();
  }
}
