package io.weir.internal.region;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.CounterState;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.region.DemandMeter.DemandSample;
import io.weir.internal.rule.CalendarWindows;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.rule.Rule;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The state a node keeps to negotiate the share of its region in one divided budget with the
 * ledger.
 */
final class ShareNegotiation {
  /** Smaller changes of the share are not requested. */
  private static final int MIN_CHANGE_PERMILLE = 20;

  private static final long NANOS_PER_MICRO = 1000;

  final RegionalBudget budget;
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
   * @param applied the share that is already enforced, in thousandths; zero if none is
   */
  ShareNegotiation(Rule rule, int applied, long interval, long now) {
    this.budget = RegionalBudget.of(rule);
    this.appliedShare = applied;
    this.intervalMicros = interval;
    lastSampleMicros = now;
    Algorithm algorithm = Algorithms.named(rule.algorithm());
    long longest = 0;
    for (Limit limit : CompiledRule.of(rule).allLimits()) {
      longest =
          Math.max(
              longest,
              limit.configuredParameters().permits() == 0 ? 0 : recoveryMicros(algorithm, limit));
    }
    recoveryMicros = longest;
    drainsSteadily = algorithm.windowModel() == WindowModel.CONTINUOUS;
  }

  /** Returns how long an exhausted limit takes to become fresh: the longest recovery time. */
  private static long recoveryMicros(Algorithm algorithm, Limit limit) {
    LimitParameters parameters = limit.configuredParameters();
    long now = parameters.periodMicros(); // the start of a window
    CounterState state = new CounterState();
    algorithm.advance(parameters, state, now);
    algorithm.charge(parameters, state, now, algorithm.capacity(parameters));
    long micros = algorithm.waitTime(parameters, state, now, algorithm.capacity(parameters));
    CalendarWindows windows = limit.windows();
    return windows == null
        ? micros
        : Math.max(micros, windows.unit().longest().toNanos() / NANOS_PER_MICRO);
  }

  /** Adds the demand counted since the last sample. */
  synchronized void addSample(DemandSample sample, long now) {
    long elapsed = Math.max(1, now - lastSampleMicros);
    double weight = 1 - Math.exp(-(double) elapsed / Math.max(recoveryMicros, intervalMicros));
    demand += weight * (sample.demandMicros() / elapsed - demand);
    unreportedFraction += sample.usedFraction();
    lastSampleMicros = now;
  }

  /** Returns the next report to the ledger; null while a reply is outstanding. */
  synchronized @Nullable RegionReport nextReport(
      NodeIdentity identity, int nodes, boolean leaving) {
    if (reportInFlight && !leaving) {
      return null;
    }
    reportInFlight = true;
    double reported = unreportedFraction;
    unreportedFraction = 0;
    return new RegionReport(
        budget,
        identity.region(),
        identity.nodeId(),
        nodes,
        appliedShare,
        demand,
        reported,
        requestedShare,
        Duration.of(Math.max(1, recoveryMicros), ChronoUnit.MICROS),
        drainsSteadily,
        Duration.of(3 * intervalMicros, ChronoUnit.MICROS),
        leaving);
  }

  /** The identity of the reporting node. */
  record NodeIdentity(String region, String nodeId) {}

  /** Records the reply of the ledger, after its share has been applied. */
  synchronized void onSnapshot(LedgerSnapshot reply, String region) {
    reportInFlight = false;
    snapshot = reply;
    appliedShare = reply.share();
    int fairShare = reply.fairShare(budget, region);
    requestedShare = Math.abs(fairShare - appliedShare) < MIN_CHANGE_PERMILLE ? -1 : fairShare;
  }

  /** Handles a failed report: keeps the enforced share and reports the usage again. */
  synchronized void onReportFailure(RegionReport report, int enforced) {
    reportInFlight = false;
    appliedShare = enforced;
    unreportedFraction += report.usedFraction();
  }

  /** Returns the last reply of the ledger; null if there was none yet. */
  synchronized @Nullable LedgerSnapshot snapshot() {
    return snapshot;
  }
}
