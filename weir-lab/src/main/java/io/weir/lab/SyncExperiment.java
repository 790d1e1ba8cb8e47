package io.weir.lab;

import io.weir.Request;
import io.weir.internal.Durations;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.store.nodes.OvershootBound;
import io.weir.lab.ExperimentResult.PlotPoint;
import io.weir.lab.world.NetworkConditions;
import io.weir.lab.world.SimulatedCluster;
import io.weir.lab.world.SimulatedNode;
import io.weir.rule.Consistency;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An experiment on the overshoot of nodes that synchronize only every interval. The algorithm is a
 * fixed window of one second; each node receives requests for the whole limit, evenly spaced.
 *
 * @param limit the permits per second for all nodes
 * @param interval the synchronization interval; zero to decide in the store each time
 */
public record SyncExperiment(int nodes, long limit, Duration interval) {
  private static final long MAX_REQUESTS_PER_SECOND = 20_000;
  private static final int PLOT_STEPS = 10;
  private static final Duration WINDOW = Duration.ofSeconds(1);
  private static final long MICROS_PER_SECOND = 1_000_000;

  public SyncExperiment {
    ExperimentLimiter.require(
        nodes >= 1 && nodes <= 50, "nodes must be between 1 and 50 (was " + nodes + ")");
    ExperimentLimiter.require(
        limit >= 1 && limit * nodes <= MAX_REQUESTS_PER_SECOND,
        "limit must be between 1 and " + MAX_REQUESTS_PER_SECOND / nodes + " (was " + limit + ")");
    ExperimentLimiter.require(
        !interval.isNegative() && interval.compareTo(Duration.ofSeconds(10)) <= 0,
        "interval must be between 0 and 10s (was " + Durations.format(interval) + ")");
    ExperimentLimiter.require(
        interval.isZero() || interval.toMillis() >= 1,
        "interval must be 0 or at least 1ms (was " + Durations.format(interval) + ")");
  }

  /** Runs the experiment at this interval, and for the plot at intervals up to one second. */
  public ExperimentResult run() {
    long total = admittedInOneWindow(interval);
    long bound = limit + OvershootBound.of(createRule(interval), nodes);
    List<PlotPoint> measured = new ArrayList<>();
    List<PlotPoint> bounds = new ArrayList<>();
    long maxMillis = Math.max(1000, interval.toMillis());
    for (int i = 0; i <= PLOT_STEPS; i++) {
      Duration step = Duration.ofMillis(maxMillis * i / PLOT_STEPS);
      long overshoot = OvershootBound.of(createRule(step), nodes);
      measured.add(PlotPoint.of(step.toMillis(), (double) admittedInOneWindow(step) / limit));
      bounds.add(PlotPoint.of(step.toMillis(), (double) (limit + overshoot) / limit));
    }
    return new ExperimentResult.ResultBuilder(
            nodes
                + " nodes, "
                + limit
                + " per second, synchronized every "
                + interval.toMillis()
                + " ms",
            "interval, ms",
            "times the limit")
        .figure("nodes", nodes)
        .figure("limit", limit)
        .figure("interval_ms", interval.toNanos() / 1e6)
        .figure("asked", nodes * limit)
        .figure("total", total)
        .figure("factor", (double) total / limit)
        .figure("bound", bound)
        .series("measured", measured)
        .series("bound", bounds)
        .build();
  }

  private Rule createRule(Duration syncInterval) {
    return Rule.named("lab")
        .per("key")
        .algorithm(Algorithms.FIXED_WINDOW.name())
        .limit(List.of(new Rate(limit, WINDOW)))
        .consistency(syncInterval.isZero() ? Consistency.EXACT : Consistency.synced(syncInterval))
        .build();
  }

  /** Returns how many requests all nodes admit in one window, which starts with an interval. */
  private long admittedInOneWindow(Duration syncInterval) {
    RuleSet rules = RuleSet.of(createRule(syncInterval));
    SimulatedCluster cluster = new SimulatedCluster(1);
    long[] admitted = {0};
    Request caller = Request.of("key", "caller");
    for (int i = 0; i < nodes; i++) {
      SimulatedNode node =
          cluster.addNode(
              () -> rules, SimulatedCluster.SimulatedNodeOptions.DEFAULTS, NetworkConditions.IDEAL);
      var firstPeek = node.limiter().peek(caller); // else the store decides the first request
      cluster.timeline().runUntil(SimulatedCluster.START_MICROS);
      firstPeek.join();
    }
    for (long k = 0; k < limit * nodes; k++) {
      SimulatedNode node = cluster.nodes().get((int) (k % nodes));
      long at =
          SimulatedCluster.START_MICROS + (2 * k + 1) * MICROS_PER_SECOND / (2 * limit * nodes);
      cluster
          .timeline()
          .scheduleAt(
              at,
              () -> {
                var decision = node.limiter().decide(caller);
                var unused = decision.thenAccept(d -> admitted[0] += d.allowed() ? 1 : 0);
              });
    }
    cluster.timeline().runUntil(SimulatedCluster.START_MICROS + MICROS_PER_SECOND - 1);
    return admitted[0];
  }
}
