package io.weir.lab.world;

import io.weir.Decision;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Consistency.CountingMode;
import io.weir.rule.StoreFailureFallback;
import java.util.List;

/** Checks the invariants of a simulation run and records violations in its journal. */
final class SimulationInvariants {
  private static final long LEASE_LIFETIME_MICROS = 100_000;
  private static final long RECOVERY_MICROS = 2_000_000;

  private final SimulationRun run;
  private final SimulationScenario scenario;
  private final SimulationJournal journal;

  private SimulationInvariants(SimulationRun run) {
    this.run = run;
    scenario = run.scenario;
    journal = run.journal;
  }

  /** Runs a scenario and checks it; the returned journal contains the violations. */
  static SimulationJournal runAndCheck(long seed) {
    SimulationRun run = new SimulationRun(SimulationScenario.of(seed));
    new SimulationInvariants(run).check();
    return run.journal;
  }

  private void check() {
    run.runUntil(scenario.lastRequestMicros() + LEASE_LIFETIME_MICROS + scenario.deadlineMicros());
    checkLeasesReturned();
    run.runUntil(scenario.settledMicros());
    checkAllSynced();
    CounterChecks counters = new CounterChecks(run);
    List.copyOf(journal.counters.values()).forEach(counters::check);
    journal.decisions.forEach(this::checkFallback);
    journal.decisions.forEach(this::checkRecovery);
    journal.decisions.forEach(this::checkDeadline);
    if (scenario.healthy()) {
      journal.decisions.forEach(this::checkHealthyAdmitted);
    }
    SyncedViewChecks.checkConvergence(run);
  }

  private void checkLeasesReturned() {
    for (SimulatedNode node : run.cluster.nodes()) {
      if (node.leasedPermits() > 0 && !node.isDead()) {
        journal.addViolation(
            node.leasedPermits() + " permits are still leased though there are no requests");
      }
    }
    for (CounterHistory counter : journal.counters.values()) {
      // leased permits of a bucket expire: they refill in the store and are not returned
      boolean leased =
          counter.countingMode() == CountingMode.LEASED
              && counter.limit.windowModel() != WindowModel.CONTINUOUS;
      if (leased && scenario.faults().isEmpty() && counter.chargedPermits != counter.spentPermits) {
        journal.addViolation(
            counter.limit
                + ": "
                + counter.chargedPermits
                + " permits are charged, but "
                + counter.spentPermits
                + " spent");
      }
    }
  }

  private void checkAllSynced() {
    for (SimulatedNode node : run.cluster.nodes()) {
      if (node.unsyncedPermits() > 0 && !node.isDead()) {
        journal.addViolation(
            node.unsyncedPermits() + " permits are not synced yet though the store answers");
      }
    }
  }

  private void checkFallback(SimulationJournal.TimedDecision made) {
    Decision d = made.decision();
    for (int i = 0; i < EvaluatedDecision.of(d).claimCount(); i++) {
      ClaimOutcome o = EvaluatedDecision.of(d).outcome(i);
      Limit limit = EvaluatedDecision.of(d).claim(i).limit();
      CountingMode kind = limit.rule().consistency().mode();
      StoreFailureFallback.FallbackAction answer = limit.rule().fallback().action();
      if (!o.degraded() || (kind == CountingMode.EXACT && scenario.toleratesSpikes())) {
        continue;
      }
      if (kind == CountingMode.SYNCED || kind == CountingMode.LOCAL) {
        journal.addViolation(
            limit + " needs no store, but was degraded at " + relativeTime(made.decidedMicros()));
      }
      if (answer != StoreFailureFallback.FallbackAction.LOCAL
          && !o.costExceedsLimit()
          && o.admitted() != (answer == StoreFailureFallback.FallbackAction.OPEN)) {
        journal.addViolation(
            limit
                + " has fallback "
                + answer
                + ", but decided otherwise at "
                + relativeTime(made.decidedMicros()));
      }
    }
  }

  /** A request waits for a silent store at most once, whatever its rules are. */
  private void checkDeadline(SimulationJournal.TimedDecision made) {
    if (made.decidedMicros() - made.requestedMicros() > 1.9 * scenario.deadlineMicros() + 1) {
      journal.addViolation(
          "took "
              + (made.decidedMicros() - made.requestedMicros())
              + " µs at "
              + relativeTime(made.requestedMicros()));
    }
  }

  private void checkRecovery(SimulationJournal.TimedDecision made) {
    long recovered =
        SimulatedCluster.START_MICROS
            + (scenario.faults().isEmpty() ? 0 : scenario.faultsOverMicros() + RECOVERY_MICROS);
    if (made.requestedMicros() >= recovered && made.decision().degraded()) {
      journal.addViolation(
          "still degraded at " + relativeTime(made.requestedMicros()) + ": " + made.decision());
    }
  }

  private void checkHealthyAdmitted(SimulationJournal.TimedDecision made) {
    if (!made.decision().allowed() || made.decision().shadowRefused()) {
      journal.addViolation(
          "refused though permits are available, at "
              + relativeTime(made.requestedMicros())
              + ": "
              + made.decision().rules());
    }
  }

  static String relativeTime(long time) {
    return (time - SimulatedCluster.START_MICROS) + " µs";
  }
}
