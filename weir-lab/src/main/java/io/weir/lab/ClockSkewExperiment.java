package io.weir.lab;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.lab.ExperimentResult.PlotPoint;
import io.weir.lab.world.NetworkConditions;
import io.weir.lab.world.SimulatedCluster;
import io.weir.lab.world.SimulatedNode;
import io.weir.lab.world.Timeline;
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
public record ClockSkewExperiment(int nodes, long limit, Duration skew) {
  private static final long MAX_REQUESTS_PER_SECOND = 2_000;
  private static final int PLOT_STEPS = 5;
  private static final int DURATION_SECONDS = 3;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long STORE_BYTES = 1 << 20;

  public ClockSkewExperiment {
    ExperimentLimiter.require(
        nodes >= 2 && nodes <= 20, nodes + " nodes cannot be tried; write 2 to 20");
    ExperimentLimiter.require(
        limit >= 1 && limit * nodes <= MAX_REQUESTS_PER_SECOND,
        "a limit of " + limit + " cannot be tried; write 1 to " + MAX_REQUESTS_PER_SECOND / nodes);
    ExperimentLimiter.require(
        !skew.isNegative() && skew.compareTo(Duration.ofMinutes(1)) <= 0,
        "a skew of " + Durations.format(skew) + " cannot be tried; write 0 to 1m");
  }

  /** Runs the nodes both ways, on all algorithms. */
  public ExperimentResult run() {
    ExperimentResult.ResultBuilder notes =
        new ExperimentResult.ResultBuilder(
            nodes + " nodes, " + limit + " a second, clocks " + skew.toMillis() + " ms apart",
            "skew, ms",
            "times what may be");
    notes.headings(
        "algorithm", "may be", "by the nodes' clocks", "times", "by the store's", "times");
    double worst = 0;
    double weir = 0;
    for (Algorithm algorithm : Algorithms.all()) {
      long right = admittedByNodeClocks(algorithm, 0);
      List<PlotPoint> points = new ArrayList<>();
      long own = right;
      for (int i = 0; i <= PLOT_STEPS; i++) {
        long apart = ExperimentLimiter.toMicros(skew) * i / PLOT_STEPS;
        own = admittedByNodeClocks(algorithm, apart);
        points.add(PlotPoint.of(apart / 1000.0, (double) own / right));
      }
      long stores = admittedByStoreClock(algorithm);
      double factor = (double) stores / right;
      notes.row(algorithm.name(), right, own, (double) own / right, stores, factor);
      notes.series(algorithm.name() + ", own clocks", points);
      worst = Math.max(worst, (double) own / right);
      weir = Math.max(weir, factor);
    }
    notes.series("Weir", List.of(PlotPoint.of(0, 1), PlotPoint.of(skew.toMillis(), weir)));
    return notes
        .figure("nodes", nodes)
        .figure("limit", limit)
        .figure("skew_ms", skew.toNanos() / 1e6)
        .figure("worst_factor", worst)
        .figure("weir_factor", weir)
        .build();
  }

  /** How many permits are admitted if each node's clock tells the counter the time. */
  private long admittedByNodeClocks(Algorithm algorithm, long apart) {
    Timeline time =
        new Timeline(SimulatedCluster.START_MICROS + MICROS_PER_SECOND * DURATION_SECONDS);
    long[] ahead = {0};
    RuleSet rules =
        RuleSet.of(
            ExperimentLimiter.createRule(algorithm, new Rate(limit, Duration.ofSeconds(1)), 0));
    MemoryStore store = new MemoryStore(() -> time.micros() + ahead[0], STORE_BYTES);
    Limiter limiter = Weir.limiter(() -> rules).store(store).build();
    long began = time.micros();
    long admitted = 0;
    for (long k = 0; k < requestCount(); k++) {
      time.runUntil(began + requestOffsetMicros(k));
      ahead[0] = clockOffsetMicros(k, apart);
      admitted += limiter.decideNow(Request.of("key", "caller")).allowed() ? 1 : 0;
    }
    return admitted;
  }

  /** How many permits nodes with such clocks admit that share a store. */
  private long admittedByStoreClock(Algorithm algorithm) {
    RuleSet rules =
        RuleSet.of(
            ExperimentLimiter.createRule(algorithm, new Rate(limit, Duration.ofSeconds(1)), 0));
    SimulatedCluster world = new SimulatedCluster(1);
    for (int i = 0; i < nodes; i++) {
      SimulatedCluster.SimulatedNodeOptions plain = SimulatedCluster.SimulatedNodeOptions.DEFAULTS;
      long ahead = clockOffsetMicros(i, ExperimentLimiter.toMicros(skew));
      SimulatedCluster.SimulatedNodeOptions traits =
          new SimulatedCluster.SimulatedNodeOptions(
              ahead, 0, plain.deadline(), plain.spikeThreshold());
      world.addNode(() -> rules, traits, NetworkConditions.IDEAL);
    }
    long[] admitted = {0};
    for (long k = 0; k < requestCount(); k++) {
      SimulatedNode node = world.nodes().get((int) (k % nodes));
      Runnable ask =
          () -> {
            var answer = node.limiter().decide(Request.of("key", "caller"));
            var unused = answer.thenAccept(d -> admitted[0] += d.allowed() ? 1 : 0);
          };
      world.timeline().scheduleAt(SimulatedCluster.START_MICROS + requestOffsetMicros(k), ask);
    }
    world.timeline().runUntil(SimulatedCluster.START_MICROS + DURATION_SECONDS * MICROS_PER_SECOND);
    return admitted[0];
  }

  private long requestCount() {
    return DURATION_SECONDS * limit * nodes;
  }

  private long requestOffsetMicros(long k) {
    return (2 * k + 1) * MICROS_PER_SECOND / (2 * limit * nodes);
  }

  private long clockOffsetMicros(long k, long apart) {
    return apart * (k % nodes) / (nodes - 1);
  }
}
