package io.weir.lab.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Request;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Nodes that stand still now and then, for longer than the deadline, as a garbage collection, a CPU
 * quota or a busy machine makes them, on a store that answers: every decision is the store's.
 */
class StalledNodesTest {
  private static final Duration DEADLINE = Duration.ofMillis(5);
  private static final int SEEDS = 300;
  private static final int NODES = 3;
  private static final int LIMIT = 1000;
  private static final int REQUESTS = 1800;
  private static final long OVER = 2_000_000;
  private static final long MAX_STALL = 300_000;

  private final RuleSet rules =
      RuleSet.of(Rule.named("shared").limit(LIMIT + "/day").onStoreFailure(Posture.OPEN).build());

  @Test
  void nodesStallWhileTheStoreAnswers_everyDecisionIsExact() {
    for (int seed = 0; seed < SEEDS; seed++) {
      World world = world(seed);
      Random random = world.random();
      for (Node node : world.nodes()) {
        for (int i = random.nextInt(20); i > 0; i--) {
          long at = World.START + (long) (random.nextDouble() * OVER);
          long lasts = 1 + (long) (random.nextDouble() * random.nextDouble() * MAX_STALL);
          world.time().at(at, () -> node.stall(lasts));
        }
      }
      List<Decision> decisions = asked(world);
      assertThat(decisions).as("seed %s", seed).hasSize(REQUESTS);
      assertThat(decisions.stream().filter(Decision::degraded)).as("seed %s", seed).isEmpty();
      assertThat(decisions.stream().filter(Decision::allowed)).as("seed %s", seed).hasSize(LIMIT);
    }
  }

  @Test
  void storeFreezes_decisionsAreGivenUpAtTheDeadline_andExactAgainSoon() {
    for (int seed = 0; seed < SEEDS; seed++) {
      World world = world(seed);
      long[] longest = {0};
      world.time().at(World.START + OVER / 4, () -> world.server().freeze(OVER / 4));
      for (int i = 0; i < REQUESTS; i++) {
        Node node = world.nodes().get(i % NODES);
        world
            .time()
            .at(
                World.START + i * OVER / REQUESTS,
                () -> {
                  long began = world.time().micros();
                  var unused =
                      node.limiter()
                          .decide(Request.of("user", "42"))
                          .thenAccept(
                              d ->
                                  longest[0] = Math.max(longest[0], world.time().micros() - began));
                });
      }
      world.time().runUntil(World.START + 2 * OVER);
      assertThat(longest[0]).as("seed %s", seed).isBetween(5_000L, 5_500L);
      var after = world.nodes().get(0).limiter().decide(Request.of("user", "42"));
      world.time().runUntil(World.START + 3 * OVER);
      assertThat(after.join().degraded()).as("seed %s", seed).isFalse();
    }
  }

  private World world(long seed) {
    World world = new World(seed);
    World.Traits traits = new World.Traits(0, 0, DEADLINE, Duration.ZERO);
    for (int i = 0; i < NODES; i++) {
      world.add(() -> rules, traits, new Weather(80, 100, 800, 0));
    }
    return world;
  }

  /** Requests at random times, each to a node that runs then. */
  private static List<Decision> asked(World world) {
    List<Decision> decisions = new ArrayList<>();
    Random random = world.random();
    for (int i = 0; i < REQUESTS; i++) {
      long at = World.START + (long) (random.nextDouble() * OVER);
      Node node = world.nodes().get(random.nextInt(NODES));
      world.time().at(at, () -> ask(world, node, decisions));
    }
    world.time().runUntil(World.START + 3 * OVER);
    return decisions;
  }

  private static void ask(World world, Node node, List<Decision> decisions) {
    if (node.isStalled()) {
      world.time().after(1_000, () -> ask(world, node, decisions));
    } else {
      var unused = node.limiter().decide(Request.of("user", "42")).thenAccept(decisions::add);
    }
  }
}
