package io.weir.lab;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.Durations;
import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.store.MemoryStore;
import io.weir.lab.ExperimentResult.PlotPoint;
import io.weir.lab.world.NetworkConditions;
import io.weir.lab.world.SimulatedCluster;
import io.weir.lab.world.SimulatedNode;
import io.weir.lab.world.Timeline;
import io.weir.rule.Rate;
import io.weir.rule.RuleSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An experiment on clock skew between nodes that share a counter: with the nodes' clocks, and as in
 * Weir with the store's clock. Each node receives requests for the whole limit, evenly spaced.
 *
 * @param limit the permits per second for all nodes
 * @param skew the difference between the first and the last clock
 */
public record ClockSkewExperiment(int nodes, long limit, Duration skew) {
  private static final long MAX_REQUESTS_PER_SECOND = 2_000;
  private static final int PLOT_STEPS = 5;
  private static final int DURATION_SECONDS = 3;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long STORE_BYTES = 1 << 20;

  public ClockSkewExperiment {
    ExperimentLimiter.require(
        nodes >= 2 && nodes <= 20, "nodes must be between 2 and 20 (was " + nodes + ")");
    ExperimentLimiter.require(
        limit >= 1 && limit * nodes <= MAX_REQUESTS_PER_SECOND,
        "limit must be between 1 and " + MAX_REQUESTS_PER_SECOND / nodes + " (was " + limit + ")");
    ExperimentLimiter.require(
        !skew.isNegative() && skew.compareTo(Duration.ofMinutes(1)) <= 0,
        "skew must be between 0 and 1m (was " + Durations.format(skew) + ")");
  }

  /** Runs the experiment on all algorithms, with both kinds of clock. */
  public ExperimentResult run() {
    ExperimentResult.ResultBuilder result =
        new ExperimentResult.ResultBuilder(
            nodes + " nodes, " + limit + " per second, clocks " + skew.toMillis() + " ms apart",
            "skew, ms",
            "admitted / allowed");
    result.headings("algorithm", "allowed", "node clocks", "factor", "store clock", "factor");
    double worst = 0;
    double weir = 0;
    for (Algorithm algorithm : Algorithms.all()) {
      long allowed = admittedByNodeClocks(algorithm, 0);
      List<PlotPoint> points = new ArrayList<>();
      long withNodeClocks = allowed;
      for (int i = 0; i <= PLOT_STEPS; i++) {
        long apart = ExperimentLimiter.toMicros(skew) * i / PLOT_STEPS;
        withNodeClocks = admittedByNodeClocks(algorithm, apart);
        points.add(PlotPoint.of(apart / 1000.0, (double) withNodeClocks / allowed));
      }
      long withStoreClock = admittedByStoreClock(algorithm);
      double factor = (double) withStoreClock / allowed;
      double nodeFactor = (double) withNodeClocks / allowed;
      result.row(algorithm.name(), allowed, withNodeClocks, nodeFactor, withStoreClock, factor);
      result.series(algorithm.name() + ", node clocks", points);
      worst = Math.max(worst, nodeFactor);
      weir = Math.max(weir, factor);
    }
    result.series("Weir", List.of(PlotPoint.of(0, 1), PlotPoint.of(skew.toMillis(), weir)));
    return result
        .figure("nodes", nodes)
        .figure("limit", limit)
        .figure("skew_ms", skew.toNanos() / 1e6)
        .figure("worst_factor", worst)
        .figure("weir_factor", weir)
        .build();
  }

  /** Returns how many requests are admitted if each node's clock dates its requests. */
  private long admittedByNodeClocks(Algorithm algorithm, long apart) {
    Timeline time =
        new Timeline(SimulatedCluster.START_MICROS + MICROS_PER_SECOND * DURATION_SECONDS);
    long[] ahead = {0};
    RuleSet rules =
        RuleSet.of(
            ExperimentLimiter.createRule(algorithm, new Rate(limit, Duration.ofSeconds(1)), 0));
    MemoryStore store = new MemoryStore(() -> time.micros() + ahead[0], STORE_BYTES);
    Limiter limiter = Weir.limiter(() -> rules).store(store).build();
    long start = time.micros();
    long admitted = 0;
    for (long k = 0; k < requestCount(); k++) {
      time.runUntil(start + requestOffsetMicros(k));
      ahead[0] = clockOffsetMicros(k, apart);
      admitted += limiter.decideNow(Request.of("key", "caller")).allowed() ? 1 : 0;
    }
    return admitted;
  }

  /** Returns how many requests nodes with these clocks admit if the store's clock counts. */
  private long admittedByStoreClock(Algorithm algorithm) {
    RuleSet rules =
        RuleSet.of(
            ExperimentLimiter.createRule(algorithm, new Rate(limit, Duration.ofSeconds(1)), 0));
    SimulatedCluster cluster = new SimulatedCluster(1);
    for (int i = 0; i < nodes; i++) {
      SimulatedCluster.SimulatedNodeOptions defaults =
          SimulatedCluster.SimulatedNodeOptions.DEFAULTS;
      long ahead = clockOffsetMicros(i, ExperimentLimiter.toMicros(skew));
      SimulatedCluster.SimulatedNodeOptions options =
          new SimulatedCluster.SimulatedNodeOptions(
              ahead, 0, defaults.deadline(), defaults.spikeThreshold());
      cluster.addNode(() -> rules, options, NetworkConditions.IDEAL);
    }
    long[] admitted = {0};
    for (long k = 0; k < requestCount(); k++) {
      SimulatedNode node = cluster.nodes().get((int) (k % nodes));
      Runnable send =
          () -> {
            var decision = node.limiter().decide(Request.of("key", "caller"));
            var unused = decision.thenAccept(d -> admitted[0] += d.allowed() ? 1 : 0);
          };
      cluster.timeline().scheduleAt(SimulatedCluster.START_MICROS + requestOffsetMicros(k), send);
    }
    cluster
        .timeline()
        .runUntil(SimulatedCluster.START_MICROS + DURATION_SECONDS * MICROS_PER_SECOND);
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
