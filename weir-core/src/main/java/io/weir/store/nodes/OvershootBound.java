package io.weir.store.nodes;

import io.weir.algorithm.LimitParameters;
import io.weir.rule.Limit;
import io.weir.rule.Rule;

/**
 * By how many permits nodes together may overrun one counter of a limit, at most.
 *
 * <p>Exact and leased rules are never overrun. Of nodes that reconcile, or count alone, each keeps
 * to the limit by itself, so together they admit at most as many times the limit as they are: in a
 * window, or where there are none in a stretch of time.
 *
 * <p>A bucket gives out more the longer one looks. As long as the store answers, nodes that
 * reconcile every interval are at most two intervals behind each other: one may have admitted since
 * it last told, the other since it last heard. So until the bucket has filled once, or for an
 * interval if that is longer, each can exceed by a bucket and what comes back in that time. (And in
 * the time of an answer and a thousandth of the interval, by which it may be wrong about the
 * store's time: a fraction of a permit, unless it is a fast bucket.) The store remembers a debt of
 * one bucket and forgets the rest, so on long stretches this may happen again, but no faster than
 * each node alone would admit: {@code burst + permits × d / period}, in any stretch d, whatever
 * becomes of the store.
 */
public final class OvershootBound {

  private OvershootBound() {}

  /**
   * The most permits too many in a window; of a bucket, in the time it takes to fill or an interval
   * if that is longer; of a bucket that is counted alone, at one moment.
   */
  public static long of(Limit limit, int nodes) {
    long others = Math.max(0, nodes - 1);
    return switch (limit.rule().consistency().mode()) {
      case EXACT, LEASED -> 0;
      case SYNCED -> others * perNode(limit);
      case LOCAL -> others * limit.capacity();
    };
  }

  /** The most of any limit of a rule. */
  public static long of(Rule rule, int nodes) {
    return rule.limits().stream().mapToLong(limit -> of(limit, nodes)).max().orElse(0);
  }

  /** What one node may admit that another does not know of. */
  public static long perNode(Limit limit) {
    if (!limit.algorithm().hasBurst()) {
      return limit.capacity();
    }
    LimitParameters t = limit.parameters();
    double perMicro = (double) t.permits() / t.periodMicros();
    double fills = t.burst() / perMicro;
    double interval = limit.rule().consistency().syncInterval().toNanos() / 1000.0;
    double behind = Math.min(2 * interval, Math.max(interval, fills));
    return limit.capacity() + (long) Math.ceil(perMicro * behind);
  }
}
