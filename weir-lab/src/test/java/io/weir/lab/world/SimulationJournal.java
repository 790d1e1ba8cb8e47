package io.weir.lab.world;

import io.weir.Decision;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.PendingDecision;
import io.weir.internal.store.nodes.ClaimSubset;
import io.weir.rule.Consistency.CountingMode;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Records the events of a simulation run, a hash of them, and the violated invariants. */
final class SimulationJournal {
  final Map<Long, CounterHistory> counters = new LinkedHashMap<>();
  final List<TimedDecision> decisions = new ArrayList<>();
  final List<String> violations = new ArrayList<>();
  private long hash = 17;

  /** A decision of a node; times are on the timeline, not on the node's clock. */
  record TimedDecision(long requestedMicros, long decidedMicros, int node, Decision decision) {}

  /** Adds an event to the hash; the order matters. */
  void addToHash(long... numbers) {
    for (long number : numbers) {
      hash = (hash ^ number) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 29;
    }
  }

  long hash() {
    return hash;
  }

  void addViolation(String violation) {
    if (violations.size() < 20) {
      violations.add(violation);
    }
  }

  private CounterHistory counter(Claim claim) {
    return counters.computeIfAbsent(claim.key(), key -> new CounterHistory(claim.limit(), key));
  }

  void onStoreDecision(PendingDecision decision, ClaimOutcome[] outcomes, long now) {
    Claim[] claims = decision.claims();
    boolean isAdmitted = ClaimSubset.isAdmitted(claims, outcomes);
    for (int i = 0; i < claims.length; i++) {
      ClaimOutcome o = outcomes[i];
      long permits =
          switch (decision.operation()) {
            case TAKE -> isAdmitted && o.admitted() ? claims[i].cost() : 0;
            case PEEK -> 0;
            case FORCE -> claims[i].cost();
            case LEASE -> o.admitted() ? claims[i].cost() : o.remaining();
            case REFUND -> -claims[i].cost();
          };
      addToHash(
          now,
          decision.operation().name().hashCode(),
          claims[i].key(),
          claims[i].cost(),
          o.remaining(),
          o.reset());
      CounterHistory counter = counter(claims[i]);
      counter.chargedPermits += permits;
      boolean reportedLater = decision.operation() == StoreOperation.FORCE;
      counter.storeCharges.add(
          new CounterHistory.StoreCharge(
              now, permits, decision.chargeTime(o.time()), reportedLater));
    }
  }

  void onDecision(TimedDecision made, boolean immediate) {
    decisions.add(made);
    Decision d = made.decision;
    addToHash(
        made.decidedMicros, made.node, d.allowed() ? 1 : 0, d.remaining(), d.degraded() ? 1 : 0);
    for (int i = 0; i < EvaluatedDecision.of(d).claimCount() && d.allowed(); i++) {
      ClaimOutcome o = EvaluatedDecision.of(d).outcome(i);
      if (o.admitted()) {
        CounterHistory counter = counter(EvaluatedDecision.of(d).claim(i));
        long cost = EvaluatedDecision.of(d).claim(i).cost();
        counter.admissions.add(
            new CounterHistory.CounterAdmission(
                made.decidedMicros, made.node, cost, o.time(), o.degraded(), immediate));
        if (!o.degraded()) {
          addSpent(counter, cost, made);
        }
      }
    }
  }

  private void addSpent(CounterHistory counter, long cost, TimedDecision made) {
    counter.spentPermits += cost;
    boolean shared =
        counter.countingMode() == CountingMode.LEASED
            || counter.countingMode() == CountingMode.EXACT;
    if (shared && counter.spentPermits > counter.chargedPermits) {
      addViolation(
          counter.limit.rule().consistency().mode()
              + " "
              + counter.limit
              + ": "
              + counter.spentPermits
              + " permits spent, but only "
              + counter.chargedPermits
              + " charged by then, at "
              + (made.decidedMicros - SimulatedCluster.START_MICROS));
    }
  }
}
