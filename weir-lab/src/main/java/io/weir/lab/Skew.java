package io.weir.lab;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.lab.Finding.Point;
import io.weir.lab.world.Node;
import io.weir.lab.world.Timeline;
import io.weir.lab.world.Weather;
import io.weir.lab.world.World;
import io.weir.rule.Durations;
import io.weir.rule.Rate;
import io.weir.rule.RuleSet;
import io.weir.store.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What wrong clocks do to a counter that nodes share: if each node told its own time, and as it is
 * in Weir, where the store's time counts. Each node is asked, evenly, for the whole limit.
 *
 * @param limit permits a second for all nodes
 * @param skew by how much the clocks are apart, the first to the last
 */
public record Skew(int nodes, long limit, Duration skew) {
  private static final long MOST = 2_000;
  private static final int STEPS = 5;
  private static final int SECONDS = 3;
  private static final long SECOND = 1_000_000;
  private static final long BYTES = 1 << 20;

  public Skew {
    Bench.require(nodes >= 2 && nodes <= 20, nodes + " nodes cannot be tried; write 2 to 20");
    Bench.require(
        limit >= 1 && limit * nodes <= MOST,
        "a limit of " + limit + " cannot be tried; write 1 to " + MOST / nodes);
    Bench.require(
        !skew.isNegative() && skew.compareTo(Duration.ofMinutes(1)) <= 0,
        "a skew of " + Durations.format(skew) + " cannot be tried; write 0 to 1m");
  }

  /** Runs the nodes both ways, on all algorithms. */
  public Finding run() {
    Finding.Notes notes =
        new Finding.Notes(
            nodes + " nodes, " + limit + " a second, clocks " + skew.toMillis() + " ms apart",
            "skew, ms",
            "times what may be");
    notes.headings(
        "algorithm", "may be", "by the nodes' clocks", "times", "by the store's", "times");
    double worst = 0;
    double weir = 0;
    for (Algorithm algorithm : Algorithms.all()) {
      long right = byNodes(algorithm, 0);
      List<Point> points = new ArrayList<>();
      long own = right;
      for (int i = 0; i <= STEPS; i++) {
        long apart = Bench.micros(skew) * i / STEPS;
        own = byNodes(algorithm, apart);
        points.add(Point.of(apart / 1000.0, (double) own / right));
      }
      long stores = byStore(algorithm);
      double factor = (double) stores / right;
      notes.row(algorithm.name(), right, own, (double) own / right, stores, factor);
      notes.series(algorithm.name() + ", own clocks", points);
      worst = Math.max(worst, (double) own / right);
      weir = Math.max(weir, factor);
    }
    notes.series("Weir", List.of(Point.of(0, 1), Point.of(skew.toMillis(), weir)));
    return notes
        .figure("nodes", nodes)
        .figure("limit", limit)
        .figure("skew_ms", skew.toNanos() / 1e6)
        .figure("worst_factor", worst)
        .figure("weir_factor", weir)
        .end();
  }

  /** How many permits are admitted if each node's clock tells the counter the time. */
  private long byNodes(Algorithm algorithm, long apart) {
    Timeline time = new Timeline(World.START + SECOND * SECONDS);
    long[] ahead = {0};
    RuleSet rules = RuleSet.of(Bench.rule(algorithm, new Rate(limit, Duration.ofSeconds(1)), 0));
    MemoryStore store = new MemoryStore(() -> time.micros() + ahead[0], BYTES);
    Limiter limiter = Weir.limiter(() -> rules).store(store).build();
    long began = time.micros();
    long admitted = 0;
    for (long k = 0; k < asked(); k++) {
      time.runUntil(began + at(k));
      ahead[0] = ahead(k, apart);
      admitted += limiter.decideNow(Request.of("key", "caller")).allowed() ? 1 : 0;
    }
    return admitted;
  }

  /** How many permits nodes with such clocks admit that share a store. */
  private long byStore(Algorithm algorithm) {
    RuleSet rules = RuleSet.of(Bench.rule(algorithm, new Rate(limit, Duration.ofSeconds(1)), 0));
    World world = new World(1);
    for (int i = 0; i < nodes; i++) {
      World.Traits plain = World.Traits.PLAIN;
      long ahead = ahead(i, Bench.micros(skew));
      World.Traits traits = new World.Traits(ahead, 0, plain.deadline(), plain.spike());
      world.add(() -> rules, traits, Weather.NONE);
    }
    long[] admitted = {0};
    for (long k = 0; k < asked(); k++) {
      Node node = world.nodes().get((int) (k % nodes));
      Runnable ask =
          () -> {
            var answer = node.limiter().decide(Request.of("key", "caller"));
            var unused = answer.thenAccept(d -> admitted[0] += d.allowed() ? 1 : 0);
          };
      world.time().at(World.START + at(k), ask);
    }
    world.time().runUntil(World.START + SECONDS * SECOND);
    return admitted[0];
  }

  private long asked() {
    return SECONDS * limit * nodes;
  }

  private long at(long k) {
    return (2 * k + 1) * SECOND / (2 * limit * nodes);
  }

  private long ahead(long k, long apart) {
    return apart * (k % nodes) / (nodes - 1);
  }
}
