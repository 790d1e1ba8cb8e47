package io.weir.lab.world;

import io.weir.Decision;
import io.weir.Request;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.algorithm.WindowModel;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Consistency.CountingMode;
import io.weir.store.StoreOperation;
import java.util.Map;
import java.util.TreeMap;

/** Checks that the synced views of the nodes converge to the store. */
final class SyncedViewChecks {
  private static final int PEEK_COUNT = 40;

  private SyncedViewChecks() {}

  /** The smallest distance seen between a view and the store. */
  private static final class ViewDivergence {
    long minDistance = Long.MAX_VALUE;
    private long previousStoreValue = -1;

    /** Compares with the last two store values, since many log entries may expire at once. */
    void update(long viewValue, long storeValue, long drift) {
      long last = previousStoreValue < 0 ? storeValue : previousStoreValue;
      long below = Math.min(last, storeValue) - viewValue;
      long above = viewValue - Math.max(last, storeValue);
      minDistance = Math.min(minDistance, Math.max(0, Math.max(below, above) - drift));
      previousStoreValue = storeValue;
    }
  }

  /** Peeks on each node repeatedly and checks that its view reaches the store's value. */
  static void checkConvergence(SimulationRun run) {
    SimulationScenario scenario = run.scenario;
    SimulationJournal journal = run.journal;
    long maxInterval = 0;
    for (CounterHistory counter : journal.counters.values()) {
      maxInterval =
          Math.max(maxInterval, counter.limit.rule().consistency().syncInterval().toNanos() / 1000);
    }
    if (maxInterval == 0) {
      return;
    }
    Map<String, ViewDivergence> seen = new TreeMap<>();
    long start = run.cluster.timeline().micros() - SimulatedCluster.START_MICROS;
    long step = 2 * (maxInterval + scenario.deadlineMicros()) / PEEK_COUNT;
    for (int i = 0; i <= PEEK_COUNT; i++) {
      run.runUntil(start + i * step);
      for (int node = 0; node < run.cluster.nodes().size(); node++) {
        if (!run.cluster.nodes().get(node).isDead()) {
          peekNode(run, node, step, seen);
        }
      }
    }
    seen.forEach(
        (name, divergence) -> {
          if (divergence.minDistance > 0) {
            journal.addViolation(
                "the view of "
                    + name
                    + " stays "
                    + divergence.minDistance
                    + " permits off the store");
          }
        });
  }

  private static void peekNode(
      SimulationRun run, int node, long step, Map<String, ViewDivergence> seen) {
    for (int caller = 0; caller < run.scenario.callers(); caller++) {
      Request request = Request.of("user", "caller" + caller);
      var answer = run.cluster.nodes().get(node).limiter().peek(request);
      var unused = answer.thenAccept(decision -> compare(run, decision, node, step, seen));
    }
  }

  private static void compare(
      SimulationRun run, Decision d, int node, long step, Map<String, ViewDivergence> seen) {
    for (int i = 0; i < EvaluatedDecision.of(d).claimCount(); i++) {
      Limit limit = EvaluatedDecision.of(d).claim(i).limit();
      if (limit.rule().consistency().mode() == CountingMode.SYNCED) {
        Claim[] claim = {EvaluatedDecision.of(d).claim(i)};
        ClaimOutcome inStore =
            run.cluster.storeServer().counters().apply(claim, StoreOperation.PEEK).join()[0];
        String what = limit + " " + limit.algorithm().name() + " on node " + node;
        long moves = 1 + allowedDrift(run, EvaluatedDecision.of(d).claim(i), step);
        seen.computeIfAbsent(
                what + ", counter " + Long.toHexString(EvaluatedDecision.of(d).claim(i).key()),
                w -> new ViewDivergence())
            .update(EvaluatedDecision.of(d).outcome(i).remaining(), inStore.remaining(), moves);
      }
    }
  }

  /**
   * Returns how many permits may refill since a view was synced; for a log, at least twice the
   * largest single charge.
   */
  private static long allowedDrift(SimulationRun run, Claim claim, long step) {
    LimitParameters t = claim.limit().parameters();
    long onAverage = t.permits() * (step + run.scenario.deadlineMicros()) / t.periodMicros();
    boolean log = claim.limit().windowModel() == WindowModel.TRAILING;
    CounterHistory counter = run.journal.counters.get(claim.key());
    long atOnce =
        counter == null || !log
            ? 0
            : counter.storeCharges.stream()
                .mapToLong(CounterHistory.StoreCharge::permits)
                .max()
                .orElse(0);
    return Math.max(4 * onAverage, 2 * atOnce);
  }
}
