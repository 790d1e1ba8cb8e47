package io.weir.store;

import java.util.ArrayDeque;

/**
 * The decisions that wait for one store, and for how long that store has owed a reply while they
 * did. Belongs to a {@link DeadlineQueue}, whose ticks alone touch it. Times in microseconds.
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
   * Counts a tick against the store if it owes a reply. Where it did at the last tick too, the
   * whole tick counts, whether or not it has answered some calls between: decisions that wait
   * behind others wait for the store.
   */
  void recordTick(long micros, long now) {
    long since = awaitingReplySince();
    boolean owes = since != RemoteStore.NO_REPLY_PENDING;
    if (owes) {
      silentMicros += silentAtLastTick ? micros : Math.min(micros, Math.max(0, now - since));
    }
    silentAtLastTick = owes;
  }

  /**
   * Adds a decision.
   *
   * @param waited for how long it has waited already, at most a tick
   * @return whether it is the first that waits
   */
  boolean add(PendingDecision ask, long waited, long now) {
    boolean first = pending.isEmpty();
    long since = awaitingReplySince();
    if (first) {
      silentAtLastTick = since != RemoteStore.NO_REPLY_PENDING;
    }
    long silent =
        since == RemoteStore.NO_REPLY_PENDING ? 0 : Math.min(waited, Math.max(0, now - since));
    ask.silenceAtStartMicros = silentMicros - silent;
    pending.add(ask);
    return first;
  }

  /** A fault of the remote must not end the deadlines of the others. */
  private long awaitingReplySince() {
    try {
      return remote.awaitingReplySince();
    } catch (RuntimeException e) {
      return RemoteStore.NO_REPLY_PENDING;
    }
  }

  /**
   * Gives up the decisions that the store has owed a reply for the deadline.
   *
   * @param spare whether to leave them for another look at the replies
   * @return for how much longer the store may be silent until the next one is given up
   */
  long expireOverdue(long deadline, boolean spare) {
    while (true) {
      dropSettled();
      PendingDecision first = pending.peek();
      if (first == null) {
        return Long.MAX_VALUE;
      }
      long left = first.silenceAtStartMicros + deadline - silentMicros;
      if (left > 0 || spare) {
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
