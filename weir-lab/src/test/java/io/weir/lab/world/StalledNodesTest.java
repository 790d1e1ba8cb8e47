package io.weir.lab.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.StoreFailureFallback;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Nodes that stall now and then for longer than the deadline, as in a garbage collection, under a
 * CPU quota or on a busy machine, with a store that answers: every decision comes from the store.
 */
class StalledNodesTest {
  private static final Duration DEADLINE = Duration.ofMillis(5);
  private static final int SEEDS = 300;
  private static final int NODES = 3;
  private static final int LIMIT = 1000;
  private static final int REQUESTS = 1800;
  private static final long DURATION_MICROS = 2_000_000;
  private static final long MAX_STALL_MICROS = 300_000;

  private final RuleSet rules =
      RuleSet.of(
          Rule.named("shared")
              .limit(LIMIT + "/day")
              .onStoreFailure(StoreFailureFallback.OPEN)
              .build());

  @Test
  void nodesStallWhileTheStoreAnswers_everyDecisionIsExact() {
    for (int seed = 0; seed < SEEDS; seed++) {
      SimulatedCluster world = createCluster(seed);
      Random random = world.random();
      for (SimulatedNode node : world.nodes()) {
        for (int i = random.nextInt(20); i > 0; i--) {
          long at = SimulatedCluster.START_MICROS + (long) (random.nextDouble() * DURATION_MICROS);
          long lasts = 1 + (long) (random.nextDouble() * random.nextDouble() * MAX_STALL_MICROS);
          world.timeline().scheduleAt(at, () -> node.stall(lasts));
        }
      }
      List<Decision> decisions = sendRequests(world);
      assertThat(decisions).as("seed %s", seed).hasSize(REQUESTS);
      assertThat(decisions.stream().filter(Decision::degraded)).as("seed %s", seed).isEmpty();
      assertThat(decisions.stream().filter(Decision::allowed)).as("seed %s", seed).hasSize(LIMIT);
    }
  }

  @Test
  void storeFreezes_decisionsEndAtTheDeadline_andBecomeExactAgain() {
    for (int seed = 0; seed < SEEDS; seed++) {
      SimulatedCluster world = createCluster(seed);
      long[] maxMicros = {0};
      world
          .timeline()
          .scheduleAt(
              SimulatedCluster.START_MICROS + DURATION_MICROS / 4,
              () -> world.storeServer().freeze(DURATION_MICROS / 4));
      for (int i = 0; i < REQUESTS; i++) {
        SimulatedNode node = world.nodes().get(i % NODES);
        world
            .timeline()
            .scheduleAt(
                SimulatedCluster.START_MICROS + i * DURATION_MICROS / REQUESTS,
                () -> {
                  long startMicros = world.timeline().micros();
                  var unused =
                      node.limiter()
                          .decide(Request.of("user", "42"))
                          .thenAccept(
                              d ->
                                  maxMicros[0] =
                                      Math.max(
                                          maxMicros[0], world.timeline().micros() - startMicros));
                });
      }
      world.timeline().runUntil(SimulatedCluster.START_MICROS + 2 * DURATION_MICROS);
      assertThat(maxMicros[0]).as("seed %s", seed).isBetween(5_000L, 5_500L);
      var after = world.nodes().get(0).limiter().decide(Request.of("user", "42"));
      world.timeline().runUntil(SimulatedCluster.START_MICROS + 3 * DURATION_MICROS);
      assertThat(after.join().degraded()).as("seed %s", seed).isFalse();
    }
  }

  private SimulatedCluster createCluster(long seed) {
    SimulatedCluster cluster = new SimulatedCluster(seed);
    SimulatedCluster.SimulatedNodeOptions options =
        new SimulatedCluster.SimulatedNodeOptions(0, 0, DEADLINE, Duration.ZERO);
    for (int i = 0; i < NODES; i++) {
      cluster.addNode(() -> rules, options, new NetworkConditions(80, 100, 800, 0));
    }
    return cluster;
  }

  /** Sends requests at random times, each to a node that is not stalled. */
  private static List<Decision> sendRequests(SimulatedCluster world) {
    List<Decision> decisions = new ArrayList<>();
    Random random = world.random();
    for (int i = 0; i < REQUESTS; i++) {
      long at = SimulatedCluster.START_MICROS + (long) (random.nextDouble() * DURATION_MICROS);
      SimulatedNode node = world.nodes().get(random.nextInt(NODES));
      world.timeline().scheduleAt(at, () -> sendWhenRunning(world, node, decisions));
    }
    world.timeline().runUntil(SimulatedCluster.START_MICROS + 3 * DURATION_MICROS);
    return decisions;
  }

  private static void sendWhenRunning(
      SimulatedCluster world, SimulatedNode node, List<Decision> decisions) {
    if (node.isStalled()) {
      world.timeline().schedule(1_000, () -> sendWhenRunning(world, node, decisions));
    } else {
      var unused = node.limiter().decide(Request.of("user", "42")).thenAccept(decisions::add);
    }
  }
}
