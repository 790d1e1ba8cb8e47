package io.weir.store.nodes;

import io.weir.algorithm.LimitParameters;
import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
import io.weir.store.StoreOperation;

/**
 * What this node believes of counters that others charge too.
 *
 * <p>What the others have used shows in what the shared store has left, and is charged here; what
 * they gave back is given back here. The caller sees to it that nobody else works on a counter
 * while it is corrected.
 */
final class SyncedView {
  /** The part of a permit by which two views of a bucket may differ, since clocks do. */
  private static final double PERMIT_TOLERANCE = 0.05;

  private final MemoryStore counters;

  /**
   * @param counters by the shared store's time
   */
  SyncedView(MemoryStore counters) {
    this.counters = counters;
  }

  ClaimOutcome[] apply(Claim[] claims, StoreOperation mode, long when) {
    return counters.apply(claims, mode, when).join();
  }

  /**
   * Learns from an answer of the shared store to what was asked at that time, unless a newer one
   * was heard of. From then on the view may decide for a while.
   *
   * @param sent by this node's clock
   */
  void update(Claim claim, ClaimOutcome said, SyncedCounter tally, long sent) {
    if (tally.isNewerThanView(sent) && reconcile(claim, said, tally.unconfirmedPermits())) {
      tally.markViewUpdated(sent);
    }
  }

  /**
   * Makes the view agree with the shared store, but for what that does not know yet.
   *
   * @return false if the answer is about another window, and says nothing of this one
   */
  boolean reconcile(Claim claim, ClaimOutcome said, long unknown) {
    Limit limit = claim.limit();
    ClaimOutcome seen = peek(claim, 1);
    if (limit.algorithm().hasBurst()) {
      reconcileBucket(claim, said, seen, unknown);
      return true;
    }
    if (!limit.isSameWindow(said.time(), seen.time())) {
      return false;
    }
    long excess = netRemaining(seen) - (netRemaining(said) - unknown);
    if (excess > 0) {
      applyOne(claim, StoreOperation.FORCE, excess, Store.NOW);
    } else if (excess < 0) {
      refundOldestFirst(claim, -excess, seen);
    }
    return true;
  }

  /** The permits left, negative if more are used than there are. */
  private static long netRemaining(ClaimOutcome outcome) {
    return outcome.remaining() - outcome.debt();
  }

  /**
   * How much of a bucket is used shows in how long it takes to fill: fractions, debt and all. What
   * is missing is rounded up to a permit, what is too much down.
   */
  private void reconcileBucket(Claim claim, ClaimOutcome said, ClaimOutcome seen, long unknown) {
    LimitParameters t = claim.limit().parameters();
    long fills = Math.max(0, said.reset() - (seen.time() - said.time()));
    double missing = (double) (fills - seen.reset()) * t.permits() / t.periodMicros() + unknown;
    long permits = (long) Math.ceil(missing - PERMIT_TOLERANCE);
    if (permits != 0) {
      applyOne(
          claim,
          permits > 0 ? StoreOperation.FORCE : StoreOperation.REFUND,
          Math.abs(permits),
          Store.NOW);
    }
  }

  /**
   * Gives so many permits back to the view, the oldest first: what others used was charged here
   * when it was heard of, which is later than it was used; what this node used itself must not be
   * forgotten in its stead.
   */
  private void refundOldestFirst(Claim claim, long permits, ClaimOutcome before) {
    ClaimOutcome seen = before;
    long rest = permits;
    while (rest > 0) {
      ClaimOutcome more = peek(claim, seen.remaining() + 1);
      long oldest = more.time() + more.delayOrWait() - claim.limit().parameters().periodMicros();
      long kept = Math.max(0, seen.debt() + 1 - rest); // of those that pay the debt
      ClaimOutcome given = applyOne(claim, StoreOperation.REFUND, rest + kept, oldest);
      if (kept > 0) {
        given = applyOne(claim, StoreOperation.FORCE, kept, oldest);
      }
      if (netRemaining(given) == netRemaining(seen)) {
        given = applyOne(claim, StoreOperation.REFUND, rest, Store.NOW);
      }
      if (netRemaining(given) <= netRemaining(seen)) {
        return;
      }
      rest -= netRemaining(given) - netRemaining(seen);
      seen = given;
    }
  }

  /** Whether it has room for a claim and for so many permits more. */
  boolean canAdmit(Claim claim, long more) {
    return peek(claim, Math.min(Claim.MAX_COST, claim.cost() + more)).admitted();
  }

  private ClaimOutcome peek(Claim claim, long cost) {
    return applyOne(claim, StoreOperation.PEEK, cost, Store.NOW);
  }

  private ClaimOutcome applyOne(Claim claim, StoreOperation mode, long permits, long when) {
    Claim[] change = {new Claim(claim.limit(), claim.key(), permits)};
    return apply(change, mode, when)[0];
  }
}
