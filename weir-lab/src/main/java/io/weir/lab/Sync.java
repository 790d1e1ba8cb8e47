package io.weir.lab;

import io.weir.Request;
import io.weir.algorithm.Algorithms;
import io.weir.lab.Finding.Point;
import io.weir.lab.world.Node;
import io.weir.lab.world.Weather;
import io.weir.lab.world.World;
import io.weir.rule.Consistency;
import io.weir.rule.Durations;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.nodes.Overshoot;
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
public record Sync(int nodes, long limit, Duration interval) {
  private static final long MOST = 20_000;
  private static final int STEPS = 10;
  private static final Duration WINDOW = Duration.ofSeconds(1);
  private static final long SECOND = 1_000_000;

  public Sync {
    Bench.require(nodes >= 1 && nodes <= 50, nodes + " nodes cannot be tried; write 1 to 50");
    Bench.require(
        limit >= 1 && limit * nodes <= MOST,
        "a limit of " + limit + " cannot be tried; write 1 to " + MOST / nodes);
    Bench.require(
        !interval.isNegative() && interval.compareTo(Duration.ofSeconds(10)) <= 0,
        "an interval of " + Durations.format(interval) + " cannot be tried; write 0 to 10s");
    Bench.require(
        interval.isZero() || interval.toMillis() >= 1,
        "an interval below 1ms cannot be; write 0, or at least 1ms");
  }

  /** Runs the nodes, at this interval and at those up to a second. */
  public Finding run() {
    long total = admitted(interval);
    long bound = limit + Overshoot.of(rule(interval), nodes);
    List<Point> measured = new ArrayList<>();
    List<Point> bounds = new ArrayList<>();
    long longest = Math.max(1000, interval.toMillis());
    for (int i = 0; i <= STEPS; i++) {
      Duration every = Duration.ofMillis(longest * i / STEPS);
      long over = Overshoot.of(rule(every), nodes);
      measured.add(Point.of(every.toMillis(), (double) admitted(every) / limit));
      bounds.add(Point.of(every.toMillis(), (double) (limit + over) / limit));
    }
    return new Finding.Notes(
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
        .end();
  }

  private Rule rule(Duration every) {
    return Rule.named("lab")
        .per("key")
        .algorithm(Algorithms.FIXED_WINDOW)
        .limit(List.of(new Rate(limit, WINDOW)))
        .consistency(every.isZero() ? Consistency.EXACT : Consistency.synced(every))
        .build();
  }

  /** How many permits all nodes admit in one window, which begins with an interval. */
  private long admitted(Duration every) {
    RuleSet rules = RuleSet.of(rule(every));
    World world = new World(1);
    long[] admitted = {0};
    Request caller = Request.of("key", "caller");
    for (int i = 0; i < nodes; i++) {
      Node node = world.add(() -> rules, World.Traits.PLAIN, Weather.NONE);
      var known = node.limiter().peek(caller); // else the store decides the first request
      world.time().runUntil(World.START);
      known.join();
    }
    for (long k = 0; k < limit * nodes; k++) {
      Node node = world.nodes().get((int) (k % nodes));
      long at = World.START + (2 * k + 1) * SECOND / (2 * limit * nodes);
      world
          .time()
          .at(
              at,
              () -> {
                var answer = node.limiter().decide(caller);
                var unused = answer.thenAccept(d -> admitted[0] += d.allowed() ? 1 : 0);
              });
    }
    world.time().runUntil(World.START + SECOND - 1);
    return admitted[0];
  }
}
