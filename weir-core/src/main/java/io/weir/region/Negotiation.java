package io.weir.region;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.State;
import io.weir.algorithm.Terms;
import io.weir.region.Demand.Count;
import io.weir.rule.Limit;
import io.weir.rule.Rule;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** What a node knows of one divided rule, and what its region should have of it. */
final class Negotiation {
  /** Changes of fewer thousandths are not worth a word. */
  private static final int TRIFLE = 20;

  final Divided rule;
  private final long comesBack;
  private final boolean drains;
  private final long interval;
  private double demand;
  private double untold;
  private long counted;
  private int wish = -1;
  private int applied;
  private boolean asking;
  private @Nullable Table table;

  /**
   * @param applied the share that is enforced already, in thousandths; zero if none is
   */
  Negotiation(Rule rule, int applied, long interval, long now) {
    this.rule = Divided.of(rule);
    this.applied = applied;
    this.interval = interval;
    counted = now;
    long longest = 0;
    for (Limit limit : rule.everyLimit()) {
      longest = Math.max(longest, limit.whole().permits() == 0 ? 0 : comesBack(rule, limit));
    }
    comesBack = longest;
    drains = rule.algorithm().bursts();
  }

  /** How long it takes until a limit that was used up is fresh: the longest there can be. */
  private static long comesBack(Rule rule, Limit limit) {
    Algorithm algorithm = rule.algorithm();
    Terms terms = limit.whole();
    long now = terms.period(); // where a window begins
    State state = new State();
    algorithm.age(terms, state, now);
    algorithm.charge(terms, state, now, algorithm.most(terms));
    return algorithm.waitFor(terms, state, now, algorithm.most(terms));
  }

  /** Takes in what was counted since the last time. */
  synchronized void count(Count more, long now) {
    long passed = Math.max(1, now - counted);
    double weight = 1 - Math.exp(-(double) passed / Math.max(comesBack, interval));
    demand += weight * (more.asked() / passed - demand);
    untold += more.used();
    counted = now;
  }

  /** What to tell the ledger; null while an answer is outstanding. */
  synchronized @Nullable Report report(Seat seat, int nodes, boolean leaving) {
    if (asking && !leaving) {
      return null;
    }
    asking = true;
    double told = untold;
    untold = 0;
    return new Report(
        rule,
        seat.region(),
        seat.node(),
        nodes,
        applied,
        demand,
        told,
        wish,
        Duration.of(Math.max(1, comesBack), ChronoUnit.MICROS),
        drains,
        Duration.of(3 * interval, ChronoUnit.MICROS),
        leaving);
  }

  /** Who tells. */
  record Seat(String region, String node) {}

  /** Takes in what the ledger said, once its share is enforced. */
  synchronized void heard(Table said, String region) {
    asking = false;
    table = said;
    applied = said.share();
    int fair = said.fair(rule, region);
    wish = Math.abs(fair - applied) < TRIFLE ? -1 : fair;
  }

  /** The ledger did not answer: what is enforced stays, and is told again. */
  synchronized void unheard(Report report, int enforced) {
    asking = false;
    applied = enforced;
    untold += report.used();
  }

  /** What the ledger said last; null if it has not said anything yet. */
  synchronized @Nullable Table table() {
    return table;
  }
}
