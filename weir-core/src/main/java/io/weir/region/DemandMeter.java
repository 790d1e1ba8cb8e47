package io.weir.region;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.algorithm.LimitParameters;
import io.weir.rule.Claim;
import io.weir.rule.Rule;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;

/**
 * Counts what this node is asked for under divided rules, and what of it is given out.
 *
 * <p>All callers of a rule are counted together, each measured by its own limit. So what is counted
 * is never less than what any one of them has used. Safe for any number of threads.
 */
final class DemandMeter implements DecisionListener {
  private final Map<String, RuleDemand> meters = new ConcurrentHashMap<>();

  /** What was counted of one rule. */
  private static final class RuleDemand {
    final DoubleAdder demandMicros = new DoubleAdder();
    final DoubleAdder usedFraction = new DoubleAdder();
  }

  /**
   * What was counted.
   *
   * @param demandMicros the time in which the whole limits would give that out, in microseconds
   * @param usedFraction what was given out, as a part of the whole limits
   */
  record DemandSample(double demandMicros, double usedFraction) {}

  @Override
  public void onDecision(Request request, Decision decision) {
    for (int i = 0; i < decision.claimCount(); ) {
      Rule rule = decision.claim(i).limit().rule();
      int next = i + 1;
      while (next < decision.claimCount()
          && decision.claim(next).limit().rule().id().equals(rule.id())) {
        next++;
      }
      if (!rule.regions().isEmpty()) {
        count(decision, i, next);
      }
      i = next;
    }
  }

  /** Of several limits of a rule the scarcest counts. */
  private void count(Decision decision, int from, int to) {
    double asked = 0;
    double used = 0;
    boolean fits = decision.allowed();
    for (int i = from; i < to; i++) {
      Claim claim = decision.claim(i);
      LimitParameters whole = claim.limit().configuredParameters();
      if (whole.permits() > 0) {
        asked = Math.max(asked, (double) claim.cost() * whole.periodMicros() / whole.permits());
        used = Math.max(used, (double) claim.cost() / whole.burst());
      }
      fits &= decision.outcome(i).admitted();
    }
    RuleDemand meter =
        meters.computeIfAbsent(decision.claim(from).limit().rule().id(), id -> new RuleDemand());
    meter.demandMicros.add(asked);
    if (fits) {
      meter.usedFraction.add(used);
    }
  }

  /** What was counted since this was last asked. */
  DemandSample takeSample(String rule) {
    RuleDemand meter = meters.get(rule);
    return meter == null
        ? new DemandSample(0, 0)
        : new DemandSample(meter.demandMicros.sumThenReset(), meter.usedFraction.sumThenReset());
  }

  /** Forgets rules that are not in force any more. */
  void retainRules(Map<String, Rule> rules) {
    meters.keySet().retainAll(rules.keySet());
  }
}
