package io.weir.store.nodes;

import io.weir.algorithm.Terms;
import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.store.MemoryStore;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;

/**
 * What this node believes of counters that others charge too.
 *
 * <p>What the others have used shows in what the shared store has left, and is charged here; what
 * they gave back is given back here. The caller sees to it that nobody else works on a counter
 * while it is corrected.
 */
final class View {
  /** The part of a permit by which two views of a bucket may differ, since clocks do. */
  private static final double LEAST_MISSING = 0.05;

  private final MemoryStore counters;

  /**
   * @param counters by the shared store's time
   */
  View(MemoryStore counters) {
    this.counters = counters;
  }

  Outcome[] take(Claim[] claims, Mode mode, long when) {
    return counters.take(claims, mode, when).join();
  }

  /** Makes the view agree with the shared store, but for what that does not know yet. */
  void correct(Claim claim, Outcome said, long untold) {
    Limit limit = claim.limit();
    Outcome seen = look(claim, 1);
    if (limit.algorithm().bursts()) {
      correctBucket(claim, said, seen, untold);
    } else if (limit.isSameWindow(said.time(), seen.time())) { // one says nothing of another
      long left = Math.max(0, said.remaining() - untold);
      if (seen.remaining() > left) {
        charge(claim, Mode.FORCE, seen.remaining() - left, Store.NOW);
      } else if (seen.remaining() < left) {
        giveBack(claim, left, seen);
      }
    }
  }

  /**
   * How much of a bucket is used shows in how long it takes to fill: fractions, debt and all. What
   * is missing is rounded up to a permit, what is too much down.
   */
  private void correctBucket(Claim claim, Outcome said, Outcome seen, long untold) {
    Terms t = claim.limit().terms();
    long fills = Math.max(0, said.reset() - (seen.time() - said.time()));
    double missing = (double) (fills - seen.reset()) * t.permits() / t.period() + untold;
    long permits = (long) Math.ceil(missing - LEAST_MISSING);
    if (permits != 0) {
      charge(claim, permits > 0 ? Mode.FORCE : Mode.REFUND, Math.abs(permits), Store.NOW);
    }
  }

  /**
   * Gives back to the view until so much is left there, the oldest first: what others used was
   * charged here when it was heard of, which is later than it was used; what this node used itself
   * must not be forgotten in its stead.
   */
  private void giveBack(Claim claim, long left, Outcome before) {
    Outcome seen = before;
    while (seen.remaining() < left) {
      Outcome more = look(claim, seen.remaining() + 1);
      long oldest = more.time() + more.pause() - claim.limit().terms().period();
      Outcome given = charge(claim, Mode.REFUND, left - seen.remaining(), oldest);
      if (given.remaining() == seen.remaining()) {
        given = charge(claim, Mode.REFUND, left - seen.remaining(), Store.NOW);
      }
      if (given.remaining() == seen.remaining()) {
        return;
      }
      seen = given;
    }
  }

  private Outcome look(Claim claim, long cost) {
    return charge(claim, Mode.PEEK, cost, Store.NOW);
  }

  private Outcome charge(Claim claim, Mode mode, long permits, long when) {
    Claim[] change = {new Claim(claim.limit(), claim.key(), permits)};
    return take(change, mode, when)[0];
  }
}
