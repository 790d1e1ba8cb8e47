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

  /**
   * Learns from an answer of the shared store to what was asked at that time, unless a newer one
   * was heard of. From then on the view may decide for a while.
   *
   * @param sent by this node's clock
   */
  void learn(Claim claim, Outcome said, Tally tally, long sent) {
    if (tally.isNews(sent) && correct(claim, said, tally.unconfirmed())) {
      tally.viewed(sent);
    }
  }

  /**
   * Makes the view agree with the shared store, but for what that does not know yet.
   *
   * @return false if the answer is about another window, and says nothing of this one
   */
  boolean correct(Claim claim, Outcome said, long unknown) {
    Limit limit = claim.limit();
    Outcome seen = look(claim, 1);
    if (limit.algorithm().bursts()) {
      correctBucket(claim, said, seen, unknown);
      return true;
    }
    if (!limit.isSameWindow(said.time(), seen.time())) {
      return false;
    }
    long excess = level(seen) - (level(said) - unknown);
    if (excess > 0) {
      charge(claim, Mode.FORCE, excess, Store.NOW);
    } else if (excess < 0) {
      giveBack(claim, -excess, seen);
    }
    return true;
  }

  /** The permits left, negative if more are used than there are. */
  private static long level(Outcome outcome) {
    return outcome.remaining() - outcome.debt();
  }

  /**
   * How much of a bucket is used shows in how long it takes to fill: fractions, debt and all. What
   * is missing is rounded up to a permit, what is too much down.
   */
  private void correctBucket(Claim claim, Outcome said, Outcome seen, long unknown) {
    Terms t = claim.limit().terms();
    long fills = Math.max(0, said.reset() - (seen.time() - said.time()));
    double missing = (double) (fills - seen.reset()) * t.permits() / t.period() + unknown;
    long permits = (long) Math.ceil(missing - LEAST_MISSING);
    if (permits != 0) {
      charge(claim, permits > 0 ? Mode.FORCE : Mode.REFUND, Math.abs(permits), Store.NOW);
    }
  }

  /**
   * Gives so many permits back to the view, the oldest first: what others used was charged here
   * when it was heard of, which is later than it was used; what this node used itself must not be
   * forgotten in its stead.
   */
  private void giveBack(Claim claim, long permits, Outcome before) {
    Outcome seen = before;
    long rest = permits;
    while (rest > 0) {
      Outcome more = look(claim, seen.remaining() + 1);
      long oldest = more.time() + more.pause() - claim.limit().terms().period();
      long kept = Math.max(0, seen.debt() + 1 - rest); // of those that pay the debt
      Outcome given = charge(claim, Mode.REFUND, rest + kept, oldest);
      if (kept > 0) {
        given = charge(claim, Mode.FORCE, kept, oldest);
      }
      if (level(given) == level(seen)) {
        given = charge(claim, Mode.REFUND, rest, Store.NOW);
      }
      if (level(given) <= level(seen)) {
        return;
      }
      rest -= level(given) - level(seen);
      seen = given;
    }
  }

  /** Whether it has room for a claim and for so many permits more. */
  boolean hasRoom(Claim claim, long more) {
    return look(claim, Math.min(Claim.MAX_COST, claim.cost() + more)).fits();
  }

  private Outcome look(Claim claim, long cost) {
    return charge(claim, Mode.PEEK, cost, Store.NOW);
  }

  private Outcome charge(Claim claim, Mode mode, long permits, long when) {
    Claim[] change = {new Claim(claim.limit(), claim.key(), permits)};
    return take(change, mode, when)[0];
  }
}
