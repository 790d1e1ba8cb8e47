package io.weir.store;

import java.util.ArrayDeque;

/**
 * The decisions that wait for one store, and for how long that store has owed a reply while they
 * did. Belongs to a {@link DeadlineQueue}, whose ticks alone touch it. Times in microseconds.
 */
final class SilenceMeter {
  private final Remote remote;
  private final ArrayDeque<Ask> pending = new ArrayDeque<>();
  private long owed;
  private boolean owedAtLastTick;

  SilenceMeter(Remote remote) {
    this.remote = remote;
  }

  /**
   * Counts a tick against the store if it owes a reply. Where it did at the last tick too, the
   * whole tick counts, whether or not it has answered some calls between: decisions that wait
   * behind others wait for the store.
   */
  void count(long micros, long now) {
    long since = awaitingSince();
    boolean owes = since != Remote.NOTHING;
    if (owes) {
      owed += owedAtLastTick ? micros : Math.min(micros, Math.max(0, now - since));
    }
    owedAtLastTick = owes;
  }

  /**
   * Adds a decision.
   *
   * @param waited for how long it has waited already, at most a tick
   * @return whether it is the first that waits
   */
  boolean add(Ask ask, long waited, long now) {
    boolean first = pending.isEmpty();
    long since = awaitingSince();
    if (first) {
      owedAtLastTick = since != Remote.NOTHING;
    }
    long silent = since == Remote.NOTHING ? 0 : Math.min(waited, Math.max(0, now - since));
    ask.owedAtStart = owed - silent;
    pending.add(ask);
    return first;
  }

  /** A fault of the remote must not end the deadlines of the others. */
  private long awaitingSince() {
    try {
      return remote.awaitingSince();
    } catch (RuntimeException e) {
      return Remote.NOTHING;
    }
  }

  /**
   * Gives up the decisions that the store has owed a reply for the deadline.
   *
   * @param spare whether to leave them for another look at the replies
   * @return for how much longer the store may be silent until the next one is given up
   */
  long giveUp(long deadline, boolean spare) {
    while (true) {
      dropSettled();
      Ask first = pending.peek();
      if (first == null) {
        return Long.MAX_VALUE;
      }
      long left = first.owedAtStart + deadline - owed;
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

  void giveUpAll() {
    pending.forEach(Ask::expire);
    pending.clear();
  }
}
