package io.weir.lab.world;

import io.weir.Decision;
import io.weir.rule.Consistency.Kind;
import io.weir.rule.Limit;
import io.weir.rule.Posture;
import io.weir.store.Outcome;
import java.util.List;

/** What must hold of every run; complains in its journal of what does not. */
final class Invariants {
  private static final long LIFE_OF_A_LEASE = 100_000;
  private static final long RECOVERY = 2_000_000;

  private final Run run;
  private final Scenario scenario;
  private final Journal journal;

  private Invariants(Run run) {
    this.run = run;
    scenario = run.scenario;
    journal = run.journal;
  }

  /** Runs a scenario to its end and checks it on the way; what was wrong is in its journal. */
  static Journal of(long seed) {
    Run run = new Run(Scenario.of(seed));
    new Invariants(run).check();
    return run.journal;
  }

  private void check() {
    run.until(scenario.ends() + LIFE_OF_A_LEASE + scenario.patience());
    leasesAreBack();
    run.until(scenario.rest());
    nothingIsUntold();
    CounterChecks counters = new CounterChecks(run);
    List.copyOf(journal.counters.values()).forEach(counters::check);
    journal.decisions.forEach(this::posture);
    journal.decisions.forEach(this::recovery);
    journal.decisions.forEach(this::inTime);
    if (scenario.healthy()) {
      journal.decisions.forEach(this::healthy);
    }
    Views.converge(run);
  }

  private void leasesAreBack() {
    for (Node node : run.world.nodes()) {
      if (node.leased() > 0 && !node.isDead()) {
        journal.complain(node.leased() + " permits are still borrowed though nobody asks");
      }
    }
    for (Counter counter : journal.counters.values()) {
      // of a bucket some expire: they have come back in the store, so nothing is given back
      boolean leased = counter.kind() == Kind.LEASED && !counter.limit.algorithm().bursts();
      if (leased && scenario.faults().isEmpty() && counter.charged != counter.spent) {
        journal.complain(
            counter.limit
                + ": "
                + counter.charged
                + " permits are charged, but "
                + counter.spent
                + " spent");
      }
    }
  }

  private void nothingIsUntold() {
    for (Node node : run.world.nodes()) {
      if (node.untold() > 0 && !node.isDead()) {
        journal.complain(node.untold() + " permits are not told yet though the store answers");
      }
    }
  }

  private void posture(Journal.Made made) {
    Decision d = made.decision();
    for (int i = 0; i < d.size(); i++) {
      Outcome o = d.outcome(i);
      Limit limit = d.claim(i).limit();
      Kind kind = limit.rule().consistency().kind();
      Posture.Answer answer = limit.rule().posture().answer();
      if (!o.degraded() || (kind == Kind.EXACT && scenario.steady())) {
        continue;
      }
      if (kind == Kind.SYNCED || kind == Kind.LOCAL) {
        journal.complain(limit + " needs no store, but was degraded at " + since(made.at()));
      }
      if (answer != Posture.Answer.LOCAL
          && !o.never()
          && o.fits() != (answer == Posture.Answer.OPEN)) {
        journal.complain(limit + " is " + answer + ", but said otherwise at " + since(made.at()));
      }
    }
  }

  /** A store that is silent is waited for once, whatever the rules of the request are. */
  private void inTime(Journal.Made made) {
    if (made.at() - made.asked() > 1.9 * scenario.patience() + 1) {
      journal.complain("took " + (made.at() - made.asked()) + " µs at " + since(made.asked()));
    }
  }

  private void recovery(Journal.Made made) {
    long well = World.START + (scenario.faults().isEmpty() ? 0 : scenario.calm() + RECOVERY);
    if (made.asked() >= well && made.decision().degraded()) {
      journal.complain("still degraded at " + since(made.asked()) + ": " + made.decision());
    }
  }

  private void healthy(Journal.Made made) {
    if (!made.decision().allowed() || made.decision().shadowRefused()) {
      journal.complain(
          "refused though there is room, at "
              + since(made.asked())
              + ": "
              + made.decision().rules());
    }
  }

  static String since(long time) {
    return (time - World.START) + " µs";
  }
}
