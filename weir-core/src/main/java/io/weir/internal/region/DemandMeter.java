package io.weir.internal.region;

import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Request;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import io.weir.rule.Rule;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;

/**
 * Measures the demand on this node for divided budgets, and the permits given out.
 *
 * <p>All callers of a rule are added up, each relative to its own limit, so the total is never less
 * than the usage of any single caller. Thread-safe.
 */
final class DemandMeter implements DecisionListener {
  private final Map<String, RuleDemand> meters = new ConcurrentHashMap<>();

  /** The counted demand and usage of one rule. */
  private static final class RuleDemand {
    final DoubleAdder demandMicros = new DoubleAdder();
    final DoubleAdder usedFraction = new DoubleAdder();
  }

  /**
   * The demand and usage counted in an interval.
   *
   * @param demandMicros the time in which the whole limits would give out the demand, in
   *     microseconds
   * @param usedFraction the permits given out, as a fraction of the whole limits
   */
  record DemandSample(double demandMicros, double usedFraction) {}

  @Override
  public void onDecision(Request request, Decision decision) {
    for (int i = 0; i < EvaluatedDecision.of(decision).claimCount(); ) {
      Rule rule = EvaluatedDecision.of(decision).claim(i).limit().rule();
      int next = i + 1;
      while (next < EvaluatedDecision.of(decision).claimCount()
          && EvaluatedDecision.of(decision).claim(next).limit().rule().id().equals(rule.id())) {
        next++;
      }
      if (!rule.regions().isEmpty()) {
        count(decision, i, next);
      }
      i = next;
    }
  }

  /** Counts the scarcest of several limits of a rule. */
  private void count(Decision decision, int from, int to) {
    double asked = 0;
    double used = 0;
    boolean admitted = decision.allowed();
    for (int i = from; i < to; i++) {
      Claim claim = EvaluatedDecision.of(decision).claim(i);
      LimitParameters whole = claim.limit().configuredParameters();
      if (whole.permits() > 0) {
        asked = Math.max(asked, (double) claim.cost() * whole.periodMicros() / whole.permits());
        used = Math.max(used, (double) claim.cost() / whole.burst());
      }
      admitted &= EvaluatedDecision.of(decision).outcome(i).admitted();
    }
    RuleDemand meter =
        meters.computeIfAbsent(
            EvaluatedDecision.of(decision).claim(from).limit().rule().id(), id -> new RuleDemand());
    meter.demandMicros.add(asked);
    if (admitted) {
      meter.usedFraction.add(used);
    }
  }

  /** Returns the demand and usage counted since the last call. */
  DemandSample takeSample(String rule) {
    RuleDemand meter = meters.get(rule);
    return meter == null
        ? new DemandSample(0, 0)
        : new DemandSample(meter.demandMicros.sumThenReset(), meter.usedFraction.sumThenReset());
  }

  /** Removes rules that are no longer active. */
  void retainRules(Map<String, Rule> rules) {
    meters.keySet().retainAll(rules.keySet());
  }
}
