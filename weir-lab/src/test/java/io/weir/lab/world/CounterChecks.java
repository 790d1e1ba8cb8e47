package io.weir.lab.world;

import io.weir.algorithm.Algorithms;
import io.weir.algorithm.Terms;
import io.weir.lab.world.Counter.Admission;
import io.weir.rule.Claim;
import io.weir.rule.Consistency.Kind;
import io.weir.rule.Limit;
import io.weir.store.MemoryStore;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import io.weir.store.nodes.Overshoot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** What must hold of each counter, as strictly as its rule says. */
final class CounterChecks {
  private static final long LIFE_OF_A_LEASE = 100_000;

  private final Run run;
  private final Scenario scenario;
  private final Journal journal;

  CounterChecks(Run run) {
    this.run = run;
    scenario = run.scenario;
    journal = run.journal;
  }

  void check(Counter counter) {
    switch (counter.kind()) {
      case EXACT -> exact(counter);
      case LEASED -> leased(counter);
      case SYNCED -> synced(counter);
      case LOCAL -> local(counter);
    }
    shares(counter);
  }

  private void exact(Counter counter) {
    List<Bounds.Use> uses = storeTimes(counter.counted());
    if (scenario.has(Fault.Kind.CLOCK_BACK) && isTrailing(counter.limit)) {
      bound(counter, uses(counter.counted(), Admission::at), scenario.patience(), 0);
    } else {
      bound(counter, uses, 0, 0);
    }
    if (!scenario.has(Fault.Kind.CLOCK_BACK)) { // what came back before is lost, if nobody asked
      central(counter, uses);
    }
  }

  private static boolean isTrailing(Limit limit) {
    return limit.algorithm().bursts() || limit.algorithm() == Algorithms.SLIDING_LOG;
  }

  /** Whether one store that was asked nothing else would have admitted the same. */
  private void central(Counter counter, List<Bounds.Use> uses) {
    long[] now = {0};
    MemoryStore one = new MemoryStore(() -> now[0], 1 << 20);
    for (Bounds.Use use : uses) {
      now[0] = use.time();
      if (!ask(one, counter, use.permits(), Mode.TAKE).fits()) {
        complain(counter, "one store alone would have refused " + use.permits() + " permits");
        return;
      }
    }
  }

  /** Permits are charged when they are lent; what counts is when they are spent. */
  private void leased(Counter counter) {
    Limit limit = counter.limit;
    if (isTrailing(limit)) {
      boolean log = !limit.algorithm().bursts(); // its spendings may not be reported in time
      long slack = log && !scenario.faults().isEmpty() ? LIFE_OF_A_LEASE : 0;
      long over = scenario.has(Fault.Kind.CLOCK_FORWARD) ? limit.most() : 0;
      List<Bounds.Use> uses = uses(counter.counted(), Admission::at);
      bound(counter, uses, slack + scenario.patience(), over);
      return;
    }
    bound(counter, storeTimes(counter.counted()), 0, 0);
    for (Admission a : counter.counted()) {
      if (a.atOnce() && step() == 0 && !limit.isSameWindow(a.time(), a.at())) {
        complain(counter, "a lease outlived its window, at " + Invariants.since(a.at()));
      }
    }
  }

  /** By how much the store's clock was set. */
  private long step() {
    return scenario.has(Fault.Kind.CLOCK_BACK)
        ? -Fault.CLOCK_STEP
        : scenario.has(Fault.Kind.CLOCK_FORWARD) ? Fault.CLOCK_STEP : 0;
  }

  /** In the order of the store's decisions, whose clock may have been set. */
  private List<Bounds.Use> storeTimes(List<Admission> some) {
    return some.stream()
        .sorted(
            Comparator.comparing((Admission a) -> Counter.isAfterStep(a, step()))
                .thenComparingLong(Admission::time))
        .map(a -> new Bounds.Use(a.time(), a.cost()))
        .toList();
  }

  /**
   * In no trailing period nodes that count together admit more than each of them may alone,
   * whatever happens: a bucket and what comes back; of windows two are in a period. If the clock is
   * set, once more the whole limit.
   */
  private void everyTrailingPeriod(Counter counter) {
    Limit limit = counter.limit;
    Terms t = limit.terms();
    long again = limit.algorithm().bursts() ? t.permits() : limit.most();
    long late = (long) Math.ceil((double) t.permits() * scenario.patience() / t.period());
    long each = limit.most() + again + late + (step() == 0 ? 0 : limit.most());
    long sum = Bounds.trailing(uses(counter.counted(), Admission::at), t.period());
    if (sum > each * scenario.nodes().size()) {
      complain(counter, sum + " permits were admitted in a period, by each more than " + each);
    }
  }

  private void synced(Counter counter) {
    everyTrailingPeriod(counter);
    if (counter.counted().stream()
        .anyMatch(a -> Math.abs(a.time() - a.at()) > 2 * scenario.patience())) {
      return; // a node came up while the store was away, and did not know its time
    }
    each(counter, Admission::time);
    if (!scenario.has(Fault.Kind.NODE_DEATH)) {
      nothingIsLost(counter);
    }
    if (scenario.faults().isEmpty()) {
      chargedWhereUsed(counter);
    }
    Limit limit = counter.limit;
    int nodes = scenario.nodes().size();
    long over = Overshoot.of(limit, nodes);
    if (!limit.algorithm().bursts()) {
      bound(counter, uses(counter.counted(), Admission::time), 0, over);
    } else if (scenario.faults().isEmpty()) {
      double perMicro = (double) limit.terms().permits() / limit.terms().period();
      long interval = limit.rule().consistency().syncEvery().toNanos() / 1000;
      double late = (nodes - 1) * 4.0 * scenario.weather().most();
      double wrong = nodes * (scenario.weather().most() + interval / 1000.0);
      long answers = (long) Math.ceil(perMicro * (late + wrong));
      List<Bounds.Use> uses = uses(counter.counted(), Admission::at);
      long excess = Bounds.overBucket(limit, uses, Math.max(interval, (long) fills(limit)));
      if (excess > over + answers) {
        complain(counter, excess + " permits too many were admitted, where " + over + " may be");
      }
    }
  }

  private void local(Counter counter) {
    each(counter, Admission::time);
  }

  /** Each node by itself keeps to the limit. */
  private void each(Counter counter, ToLongFunction<Admission> when) {
    Map<Integer, List<Admission>> byNode = new HashMap<>();
    for (Admission a : counter.counted()) {
      byNode.computeIfAbsent(a.node(), n -> new ArrayList<>()).add(a);
    }
    // what is taken and given back a moment later has drained meanwhile
    long slack = scenario.rules().size() > 1 ? scenario.patience() : 0;
    long part = (long) (fills(counter.limit) / counter.limit.most() / 20);
    boolean bucket = counter.limit.algorithm().bursts();
    byNode.values().forEach(some -> bound(counter, uses(some, when), bucket ? slack + part : 0, 0));
  }

  private void bound(Counter counter, List<Bounds.Use> uses, long slack, long over) {
    long excess = Bounds.excess(counter.limit, uses, slack);
    if (excess > over) {
      complain(counter, excess + " permits too many were admitted, where " + over + " may be");
    }
  }

  /** What nodes admitted while the store was away, each from its share. */
  private void shares(Counter counter) {
    Limit share = counter.limit.share();
    if (share == null || (counter.kind() == Kind.EXACT && scenario.steady())) {
      return;
    }
    Map<Integer, List<Admission>> byNode = new HashMap<>();
    for (Admission a : counter.admitted) {
      if (a.degraded()) {
        byNode.computeIfAbsent(a.node(), n -> new ArrayList<>()).add(a);
      }
    }
    byNode
        .values()
        .forEach(
            some -> {
              long excess = Bounds.excess(share, uses(some, Admission::time), 0);
              if (excess > 0) {
                complain(counter, "a node gave " + excess + " permits more than its share");
              }
            });
  }

  /**
   * The store must count what was admitted until it may forget it. More than twice the limit it
   * never counts, so where it was told more, as after faults, some may be forgotten.
   */
  private void nothingIsLost(Counter counter) {
    long now = run.world.time().micros();
    Limit limit = counter.limit;
    long recently = now - 2 * limit.terms().period() - (long) (2 * fills(limit));
    long told =
        counter.served.stream()
            .filter(s -> s.at() > recently && s.permits() > 0)
            .mapToLong(Counter.Served::permits)
            .sum();
    if (!scenario.faults().isEmpty() && told > 2 * limit.most()) {
      return;
    }
    long[] clock = {0};
    MemoryStore one = new MemoryStore(() -> clock[0], 1 << 20);
    for (Bounds.Use use : uses(counter.counted(), Admission::at)) {
      clock[0] = use.time() - scenario.patience();
      ask(one, counter, use.permits(), Mode.FORCE);
    }
    clock[0] = now;
    long left = ask(one, counter, 1, Mode.PEEK).remaining();
    long there = ask(run.world.server().counters(), counter, 1, Mode.PEEK).remaining();
    if (there > left) {
      complain(counter, "the store has " + there + " permits left, but only " + left + " can be");
    }
  }

  private static double fills(Limit limit) {
    return (double) limit.most() * limit.terms().period() / limit.terms().permits();
  }

  /** Without faults, each window is charged what was admitted in it: no more, no less. */
  private void chargedWhereUsed(Counter counter) {
    Map<Long, Long> owed = new TreeMap<>();
    for (Admission a : counter.counted()) {
      owed.merge(window(counter, a.time()), a.cost(), Long::sum);
    }
    for (Counter.Served s : counter.served) {
      owed.merge(window(counter, s.when()), -s.permits(), Long::sum);
    }
    long every = counter.limit.rule().consistency().syncEvery().toNanos() / 1000;
    boolean remembered = every + scenario.patience() <= counter.limit.terms().period();
    owed.forEach(
        (window, permits) -> {
          if (remembered ? permits != 0 : permits < 0) {
            complain(
                counter,
                permits
                    + " permits are not charged where they were used, at "
                    + Invariants.since(window));
          }
        });
  }

  private static long window(Counter counter, long time) {
    return counter.limit.algorithm().bursts() ? World.START : counter.limit.terms().window(time);
  }

  private static List<Bounds.Use> uses(List<Admission> some, ToLongFunction<Admission> when) {
    return some.stream()
        .map(a -> new Bounds.Use(when.applyAsLong(a), a.cost()))
        .sorted(Comparator.comparingLong(Bounds.Use::time))
        .toList();
  }

  private static Outcome ask(Store store, Counter counter, long cost, Mode mode) {
    Claim[] claim = {new Claim(counter.limit, counter.key, cost)};
    return store.take(claim, mode).join()[0];
  }

  private void complain(Counter counter, String what) {
    Limit limit = counter.limit;
    journal.complain(
        String.format(
            "%s %s %s of %d (%d nodes, every %s): %s",
            counter.kind(),
            limit.algorithm().name(),
            limit.rate(),
            limit.most(),
            scenario.nodes().size(),
            limit.rule().consistency().syncEvery(),
            what));
  }
}
