package io.weir.store.nodes;

import io.weir.algorithm.Terms;
import io.weir.rule.Consistency;
import io.weir.rule.Limit;

/**
 * By how many permits nodes together may overrun one counter of a limit, at most.
 *
 * <p>Exact and leased rules are never overrun. Nodes that reconcile every interval may each admit,
 * until the next time, what they saw left: at most the whole limit and what comes back meanwhile.
 * The others learn of it then, and so the sum over all nodes but one is the most that is too much.
 * Nodes that count alone may each admit the whole limit; with sticky routing only one is asked.
 */
public final class Overshoot {

  private Overshoot() {}

  /** The most permits too many in any stretch of time no longer than an interval, or a window. */
  public static long of(Limit limit, int nodes) {
    long others = Math.max(0, nodes - 1);
    return switch (limit.rule().consistency().kind()) {
      case EXACT, LEASED -> 0;
      case SYNCED -> others * perInterval(limit);
      case LOCAL -> others * limit.most();
    };
  }

  /** What one node may admit between two times of reconciling. */
  public static long perInterval(Limit limit) {
    Terms t = limit.terms();
    Consistency how = limit.rule().consistency();
    double interval = how.syncEvery().toNanos() / 1000.0;
    long refill = limit.algorithm().bursts() ? (long) (t.permits() * interval / t.period()) : 0;
    return limit.most() + refill;
  }
}
