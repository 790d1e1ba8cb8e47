package io.weir.internal.store.nodes;

import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.rule.Rule;

/**
 * The maximum number of permits by which all nodes together may exceed one counter of a limit.
 *
 * <p>Exact and leased rules are never exceeded. Each node that counts synced or local rules keeps
 * to the limit by itself, so together n nodes admit at most n times the limit: per window, or for
 * algorithms without windows in any interval of the length of a period.
 *
 * <p>A bucket admits more over a longer time. As long as the store answers, synced nodes are at
 * most two intervals behind each other: one may have admitted permits since its last report, the
 * other since its last update. So until the bucket has filled once, or for an interval if that is
 * longer, each node can exceed the limit by a bucket plus the permits refilled in that time. (Plus
 * those refilled during an answer and a thousandth of the interval, the error of the estimate of
 * the store's time: a fraction of a permit, unless the bucket is fast.) The store keeps a debt of
 * one bucket and drops the rest, so over a long time this may happen again, but no faster than each
 * node alone would admit: {@code burst + permits × d / period}, in any interval d, even if the
 * store is unavailable.
 */
public final class OvershootBound {

  private OvershootBound() {}

  /**
   * The maximum excess in a window; for a synced bucket, in the time it takes to fill or an
   * interval if that is longer; for a local bucket, at one moment.
   */
  public static long of(Limit limit, int nodes) {
    long others = Math.max(0, nodes - 1);
    return switch (limit.rule().consistency().mode()) {
      case EXACT, LEASED -> 0;
      case SYNCED -> others * perNode(limit);
      case LOCAL -> others * limit.capacity();
    };
  }

  /** The largest value of any limit of a rule. */
  public static long of(Rule rule, int nodes) {
    return CompiledRule.of(rule).limits().stream()
        .mapToLong(limit -> of(limit, nodes))
        .max()
        .orElse(0);
  }

  /** The maximum number of permits that one node may admit before another node learns of them. */
  public static long perNode(Limit limit) {
    if (limit.windowModel() != WindowModel.CONTINUOUS) {
      return limit.capacity();
    }
    LimitParameters t = limit.parameters();
    double perMicro = (double) t.permits() / t.periodMicros();
    double fillTime = t.burst() / perMicro;
    double interval = limit.rule().consistency().syncInterval().toNanos() / 1000.0;
    double behind = Math.min(2 * interval, Math.max(interval, fillTime));
    return limit.capacity() + (long) Math.ceil(perMicro * behind);
  }
}
