package io.weir.lab.world;

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
    List<Bounds.Use> uses = uses(counter.counted(), Admission::time);
    bound(counter, uses, 0, 0);
    central(counter, uses);
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

  private void leased(Counter counter) {
    if (counter.limit.algorithm().bursts()) {
      bound(
          counter,
          uses(counter.counted(), Admission::at),
          LIFE_OF_A_LEASE + scenario.patience(),
          0);
      return;
    }
    bound(counter, uses(counter.counted(), Admission::time), 0, 0);
    for (Admission a : counter.counted()) {
      if (a.atOnce() && !counter.limit.isSameWindow(a.time(), a.at())) {
        complain(counter, "a lease outlived its window, at " + Invariants.since(a.at()));
      }
    }
  }

  private void synced(Counter counter) {
    if (counter.counted().stream()
        .anyMatch(a -> Math.abs(a.time() - a.at()) > 2 * scenario.patience())) {
      return; // a node came up while the store was away, and did not know its time
    }
    each(counter, Admission::time);
    nothingIsLost(counter);
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
