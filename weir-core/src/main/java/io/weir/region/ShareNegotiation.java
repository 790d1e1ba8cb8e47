package io.weir.region;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.CounterState;
import io.weir.algorithm.LimitParameters;
import io.weir.region.DemandMeter.DemandSample;
import io.weir.rule.Limit;
import io.weir.rule.Rule;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** What a node knows of one divided rule, and what its region should have of it. */
final class ShareNegotiation {
  /** Changes of fewer thousandths are not worth a word. */
  private static final int MIN_CHANGE_PERMILLE = 20;

  final DividedBudget budget;
  private final long recoveryMicros;
  private final boolean drainsSteadily;
  private final long intervalMicros;
  private double demand;
  private double unreportedFraction;
  private long lastSampleMicros;
  private int requestedShare = -1;
  private int appliedShare;
  private boolean reportInFlight;
  private @Nullable LedgerSnapshot snapshot;

  /**
   * @param applied the share that is enforced already, in thousandths; zero if none is
   */
  ShareNegotiation(Rule rule, int applied, long interval, long now) {
    this.budget = DividedBudget.of(rule);
    this.appliedShare = applied;
    this.intervalMicros = interval;
    lastSampleMicros = now;
    long longest = 0;
    for (Limit limit : rule.allLimits()) {
      longest =
          Math.max(
              longest,
              limit.configuredParameters().permits() == 0 ? 0 : recoveryMicros(rule, limit));
    }
    recoveryMicros = longest;
    drainsSteadily = rule.algorithm().hasBurst();
  }

  /** How long it takes until a limit that was used up is fresh: the longest there can be. */
  private static long recoveryMicros(Rule rule, Limit limit) {
    Algorithm algorithm = rule.algorithm();
    LimitParameters terms = limit.configuredParameters();
    long now = terms.periodMicros(); // where a window begins
    CounterState state = new CounterState();
    algorithm.advance(terms, state, now);
    algorithm.charge(terms, state, now, algorithm.capacity(terms));
    return algorithm.waitTime(terms, state, now, algorithm.capacity(terms));
  }

  /** Takes in what was counted since the last time. */
  synchronized void addSample(DemandSample more, long now) {
    long passed = Math.max(1, now - lastSampleMicros);
    double weight = 1 - Math.exp(-(double) passed / Math.max(recoveryMicros, intervalMicros));
    demand += weight * (more.demandMicros() / passed - demand);
    unreportedFraction += more.usedFraction();
    lastSampleMicros = now;
  }

  /** What to tell the ledger; null while an answer is outstanding. */
  synchronized @Nullable RegionReport nextReport(NodeIdentity seat, int nodes, boolean leaving) {
    if (reportInFlight && !leaving) {
      return null;
    }
    reportInFlight = true;
    double told = unreportedFraction;
    unreportedFraction = 0;
    return new RegionReport(
        budget,
        seat.region(),
        seat.nodeId(),
        nodes,
        appliedShare,
        demand,
        told,
        requestedShare,
        Duration.of(Math.max(1, recoveryMicros), ChronoUnit.MICROS),
        drainsSteadily,
        Duration.of(3 * intervalMicros, ChronoUnit.MICROS),
        leaving);
  }

  /** Who tells. */
  record NodeIdentity(String region, String nodeId) {}

  /** Takes in what the ledger said, once its share is enforced. */
  synchronized void onSnapshot(LedgerSnapshot said, String region) {
    reportInFlight = false;
    snapshot = said;
    appliedShare = said.share();
    int fair = said.fairShare(budget, region);
    requestedShare = Math.abs(fair - appliedShare) < MIN_CHANGE_PERMILLE ? -1 : fair;
  }

  /** The ledger did not answer: what is enforced stays, and is told again. */
  synchronized void onReportFailure(RegionReport report, int enforced) {
    reportInFlight = false;
    appliedShare = enforced;
    unreportedFraction += report.usedFraction();
  }

  /** What the ledger said last; null if it has not said anything yet. */
  synchronized @Nullable LedgerSnapshot snapshot() {
    return snapshot;
  }
}
