package io.weir.internal.store.nodes;

import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.store.StoreOperation;

/**
 * This node's view of counters that other nodes charge too.
 *
 * <p>The usage and the refunds of other nodes are derived from what the shared store has left, and
 * are applied here. The caller must hold the lock of a counter while it is reconciled.
 */
final class SyncedView {
  /** The part of a permit by which two views of a bucket may differ, since their clocks differ. */
  private static final double PERMIT_TOLERANCE = 0.05;

  private final MemoryStore counters;

  /**
   * @param counters run by the shared store's clock
   */
  SyncedView(MemoryStore counters) {
    this.counters = counters;
  }

  ClaimOutcome[] apply(Claim[] claims, StoreOperation operation, long when) {
    return counters.apply(claims, operation, when).join();
  }

  /**
   * Updates the view from an answer of the shared store, unless it shows a newer answer. After that
   * the view may decide until it is too old.
   *
   * @param sent when the request was sent, by this node's clock
   */
  void update(Claim claim, ClaimOutcome answer, SyncedCounter counter, long sent) {
    if (counter.isNewerThanView(sent) && reconcile(claim, answer, counter.unconfirmedPermits())) {
      counter.markViewUpdated(sent);
    }
  }

  /**
   * Makes the view agree with the shared store, except for the usage that the store does not know.
   *
   * @param unconfirmed the permits used here that the store may not know
   * @return false if the answer is about another window and therefore of no use
   */
  boolean reconcile(Claim claim, ClaimOutcome answer, long unconfirmed) {
    Limit limit = claim.limit();
    ClaimOutcome seen = peek(claim, 1);
    if (limit.windowModel() == WindowModel.CONTINUOUS) {
      reconcileBucket(claim, answer, seen, unconfirmed);
      return true;
    }
    if (!limit.isSameWindow(answer.time(), seen.time())) {
      return false;
    }
    long excess = netRemaining(seen) - (netRemaining(answer) - unconfirmed);
    if (excess > 0) {
      applyOne(claim, StoreOperation.FORCE, excess, ClaimStore.NOW);
    } else if (excess < 0) {
      refundOldestFirst(claim, -excess, seen);
    }
    return true;
  }

  /** The remaining permits, negative in debt. */
  private static long netRemaining(ClaimOutcome outcome) {
    return outcome.remaining() - outcome.debt();
  }

  /**
   * Computes the usage of a bucket from the time until it is full, which includes fractions and
   * debt. Missing charges are rounded up to a permit, surplus charges down.
   */
  private void reconcileBucket(
      Claim claim, ClaimOutcome answer, ClaimOutcome seen, long unconfirmed) {
    LimitParameters t = claim.limit().parameters();
    long fillTime = Math.max(0, answer.reset() - (seen.time() - answer.time()));
    double used = (double) (fillTime - seen.reset()) * t.permits() / t.periodMicros();
    double missing = used + unconfirmed;
    long permits = (long) Math.ceil(missing - PERMIT_TOLERANCE);
    if (permits != 0) {
      applyOne(
          claim,
          permits > 0 ? StoreOperation.FORCE : StoreOperation.REFUND,
          Math.abs(permits),
          ClaimStore.NOW);
    }
  }

  /**
   * Refunds permits to the view, the oldest first: the usage of other nodes was charged here when
   * this node learned of it, which is later than it happened. The usage of this node itself must
   * not be refunded in its place.
   */
  private void refundOldestFirst(Claim claim, long permits, ClaimOutcome before) {
    ClaimOutcome seen = before;
    long rest = permits;
    while (rest > 0) {
      ClaimOutcome more = peek(claim, seen.remaining() + 1);
      long oldest =
          more.time() + more.delayOrWait() - claim.limit().parametersAt(more.time()).periodMicros();
      long kept = Math.max(0, seen.debt() + 1 - rest); // of the permits that pay the debt
      ClaimOutcome given = applyOne(claim, StoreOperation.REFUND, rest + kept, oldest);
      if (kept > 0) {
        given = applyOne(claim, StoreOperation.FORCE, kept, oldest);
      }
      if (netRemaining(given) == netRemaining(seen)) {
        given = applyOne(claim, StoreOperation.REFUND, rest, ClaimStore.NOW);
      }
      if (netRemaining(given) <= netRemaining(seen)) {
        return;
      }
      rest -= netRemaining(given) - netRemaining(seen);
      seen = given;
    }
  }

  /** Whether a claim and that many further permits would be admitted. */
  boolean canAdmit(Claim claim, long more) {
    return peek(claim, Math.min(Claim.MAX_COST, claim.cost() + more)).admitted();
  }

  private ClaimOutcome peek(Claim claim, long cost) {
    return applyOne(claim, StoreOperation.PEEK, cost, ClaimStore.NOW);
  }

  private ClaimOutcome applyOne(Claim claim, StoreOperation operation, long permits, long when) {
    Claim[] change = {new Claim(claim.limit(), claim.key(), permits)};
    return apply(change, operation, when)[0];
  }
}
