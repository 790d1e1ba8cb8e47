package io.weir.lab;

import io.weir.Request;
import io.weir.algorithm.Algorithms;
import io.weir.lab.ExperimentResult.PlotPoint;
import io.weir.lab.world.NetworkConditions;
import io.weir.lab.world.SimulatedCluster;
import io.weir.lab.world.SimulatedNode;
import io.weir.rule.Consistency;
import io.weir.rule.Durations;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.nodes.OvershootBound;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * By how much nodes overrun a limit that learn of each other only every interval: a fixed window of
 * a second, of which each node is asked, evenly, for as many permits as all of them have.
 *
 * @param limit how many permits a second has for all nodes
 * @param interval how often they reconcile; zero for asking the store each time
 */
public record SyncExperiment(int nodes, long limit, Duration interval) {
  private static final long MAX_REQUESTS_PER_SECOND = 20_000;
  private static final int PLOT_STEPS = 10;
  private static final Duration WINDOW = Duration.ofSeconds(1);
  private static final long MICROS_PER_SECOND = 1_000_000;

  public SyncExperiment {
    ExperimentLimiter.require(
        nodes >= 1 && nodes <= 50, nodes + " nodes cannot be tried; write 1 to 50");
    ExperimentLimiter.require(
        limit >= 1 && limit * nodes <= MAX_REQUESTS_PER_SECOND,
        "a limit of " + limit + " cannot be tried; write 1 to " + MAX_REQUESTS_PER_SECOND / nodes);
    ExperimentLimiter.require(
        !interval.isNegative() && interval.compareTo(Duration.ofSeconds(10)) <= 0,
        "an interval of " + Durations.format(interval) + " cannot be tried; write 0 to 10s");
    ExperimentLimiter.require(
        interval.isZero() || interval.toMillis() >= 1,
        "an interval below 1ms cannot be; write 0, or at least 1ms");
  }

  /** Runs the nodes, at this interval and at those up to a second. */
  public ExperimentResult run() {
    long total = admittedInOneWindow(interval);
    long bound = limit + OvershootBound.of(createRule(interval), nodes);
    List<PlotPoint> measured = new ArrayList<>();
    List<PlotPoint> bounds = new ArrayList<>();
    long longest = Math.max(1000, interval.toMillis());
    for (int i = 0; i <= PLOT_STEPS; i++) {
      Duration every = Duration.ofMillis(longest * i / PLOT_STEPS);
      long over = OvershootBound.of(createRule(every), nodes);
      measured.add(PlotPoint.of(every.toMillis(), (double) admittedInOneWindow(every) / limit));
      bounds.add(PlotPoint.of(every.toMillis(), (double) (limit + over) / limit));
    }
    return new ExperimentResult.ResultBuilder(
            nodes
                + " nodes, "
                + limit
                + " a second, reconciled every "
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

  private Rule createRule(Duration every) {
    return Rule.named("lab")
        .per("key")
        .algorithm(Algorithms.FIXED_WINDOW)
        .limit(List.of(new Rate(limit, WINDOW)))
        .consistency(every.isZero() ? Consistency.EXACT : Consistency.synced(every))
        .build();
  }

  /** How many permits all nodes admit in one window, which begins with an interval. */
  private long admittedInOneWindow(Duration every) {
    RuleSet rules = RuleSet.of(createRule(every));
    SimulatedCluster world = new SimulatedCluster(1);
    long[] admitted = {0};
    Request caller = Request.of("key", "caller");
    for (int i = 0; i < nodes; i++) {
      SimulatedNode node =
          world.addNode(
              () -> rules, SimulatedCluster.SimulatedNodeOptions.DEFAULTS, NetworkConditions.IDEAL);
      var known = node.limiter().peek(caller); // else the store decides the first request
      world.timeline().runUntil(SimulatedCluster.START_MICROS);
      known.join();
    }
    for (long k = 0; k < limit * nodes; k++) {
      SimulatedNode node = world.nodes().get((int) (k % nodes));
      long at =
          SimulatedCluster.START_MICROS + (2 * k + 1) * MICROS_PER_SECOND / (2 * limit * nodes);
      world
          .timeline()
          .scheduleAt(
              at,
              () -> {
                var answer = node.limiter().decide(caller);
                var unused = answer.thenAccept(d -> admitted[0] += d.allowed() ? 1 : 0);
              });
    }
    world.timeline().runUntil(SimulatedCluster.START_MICROS + MICROS_PER_SECOND - 1);
    return admitted[0];
  }
}
