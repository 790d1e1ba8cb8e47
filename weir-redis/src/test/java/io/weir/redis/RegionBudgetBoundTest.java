package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.WindowModel;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.testkit.CapturedLogs;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Shares follow demand, and regions never exceed the whole limit, whatever fails. */
@Tag("slow")
class RegionBudgetBoundTest {
  private static final long SEED = Long.getLong("weir.seed", 1);
  private static final int HISTORIES = 20;
  private static final List<String> ALGORITHMS =
      List.of("token-bucket", "leaky-bucket", "fixed-window", "sliding-log", "sliding-counter");
  private static final List<String> RATES = List.of("1000/second", "6000/10s", "9000/minute");

  private static RedisProcess link;
  private static CapturedLogs log;

  @BeforeAll
  static void start() {
    log = new CapturedLogs();
    link = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    link.close();
    log.close();
  }

  private static RuleBuilder rule(String algorithm, String rate) {
    return Rule.named("api")
        .limit(rate)
        .algorithm(algorithm)
        .regions(new TreeMap<>(Map.of("eu", 50, "us", 30, "ap", 20)));
  }

  @ParameterizedTest
  @CsvSource({
    "token-bucket, 1000/second, 20",
    "token-bucket, 9000/minute, 240",
    "leaky-bucket, 6000/10s, 60",
    "fixed-window, 1000/second, 20",
    "fixed-window, 9000/minute, 240",
    "sliding-log, 2000/10s, 60",
    "sliding-counter, 6000/10s, 80"
  })
  void shares_followDemandAndReturn(String algorithm, String rate, int seconds) {
    Duration phase = Duration.ofSeconds(seconds);
    try (SimulatedRegions world =
        world("follow-" + algorithm + rate, rule(algorithm, rate).build())) {
      world.run(phase, Map.of());
      assertThat(shares(world)).isEqualTo(Map.of("eu", 500, "us", 300, "ap", 200));

      world.run(phase, Map.of("us", 2.0));
      assertThat(world.largestShare("us")).as("nearly the whole share").isGreaterThan(900);

      world.run(phase, Map.of("eu", 2.0, "us", 2.0, "ap", 2.0));
      assertThat(world.largestShare("eu")).isCloseTo(500, within(25));
      assertThat(world.largestShare("us")).isCloseTo(300, within(25));
      assertThat(world.largestShare("ap")).isCloseTo(200, within(25));

      world.run(phase, Map.of("ap", 2.0));
      assertThat(world.largestShare("ap")).isGreaterThan(850);
    }
  }

  @Test
  void disconnectedRegion_keepsShareAndOthersDivideTheRest() {
    try (SimulatedRegions world = world("cut", rule("token-bucket", "1000/second").build())) {
      world.run(Duration.ofSeconds(20), Map.of("eu", 2.0));
      int kept = world.largestShare("eu");
      assertThat(kept).isGreaterThan(900);
      world.region("eu").disconnected = true;
      world.run(Duration.ofMinutes(2), Map.of("eu", 2.0, "us", 2.0, "ap", 2.0));
      assertThat(world.largestShare("eu")).isEqualTo(kept);
      assertThat(world.largestShare("us")).isGreaterThan(world.largestShare("ap"));
      world.region("eu").disconnected = false;
      world.run(Duration.ofSeconds(20), Map.of("eu", 2.0, "us", 2.0, "ap", 2.0));
      assertThat(world.largestShare("eu")).isCloseTo(500, within(25));
    }
  }

  @Test
  void disconnectedNode_holdsItsShareUntilItIsGone() {
    try (SimulatedRegions world = world("alone", rule("token-bucket", "1000/second").build())) {
      SimulatedRegions.SimulatedRegion eu = world.region("eu");
      SimulatedRegions.SimulatedRegionNode second = world.new SimulatedRegionNode(eu);
      eu.nodes.add(second);
      world.run(Duration.ofSeconds(6), Map.of());
      second.disconnected = true;
      world.run(Duration.ofMinutes(1), Map.of("us", 2.0));
      assertThat(second.share()).isEqualTo(500);
      assertThat(world.largestShare("us"))
          .as("without the share of the silent node")
          .isLessThan(500);
      second.crash();
      world.run(Duration.ofSeconds(20), Map.of("us", 2.0));
      assertThat(world.largestShare("us")).isGreaterThan(900);
    }
  }

  @Test
  void lostLedger_isRebuiltFromEnforcedShares() {
    try (SimulatedRegions world = world("lost", rule("token-bucket", "1000/second").build())) {
      world.run(Duration.ofSeconds(20), Map.of("us", 2.0));
      int before = world.largestShare("us");
      link.command("FLUSHALL");
      world.run(Duration.ofSeconds(20), Map.of("us", 2.0));
      assertThat(world.largestShare("us")).isCloseTo(before, within(25));
      world.run(Duration.ofSeconds(20), Map.of("us", 2.0, "eu", 2.0, "ap", 2.0));
      assertThat(world.largestShare("eu")).isCloseTo(500, within(25));
    }
  }

  @Test
  void unassignedShare_isHeldForUnnamedRegion() {
    Rule rule = rule("token-bucket", "1000/second").regions(Map.of("eu", 40, "us", 30)).build();
    try (SimulatedRegions world = world("rest", rule)) {
      world.run(Duration.ofSeconds(20), Map.of("eu", 2.0));
      assertThat(world.largestShare("eu")).isBetween(650, 700);
      world.regions.put("ap", world.new SimulatedRegion("ap"));
      assertThat(world.largestShare("ap")).isEqualTo(300);
      world.run(Duration.ofSeconds(20), Map.of("eu", 2.0));
      assertThat(world.largestShare("eu")).isGreaterThan(900);
      world.regions.put("sa", world.new SimulatedRegion("sa"));
      assertThat(world.largestShare("sa")).as("only the free share").isLessThan(50);
    }
  }

  @Test
  void randomHistory_staysWithinTheLimit() {
    for (long seed = SEED; seed < SEED + HISTORIES; seed++) {
      Random random = new Random(seed);
      String rate = RATES.get(random.nextInt(RATES.size()));
      String algorithm = ALGORITHMS.get(random.nextInt(ALGORITHMS.size()));
      RuleBuilder rule = rule(algorithm, algorithm.equals("sliding-log") ? "2000/10s" : rate);
      if (Algorithms.named(algorithm).windowModel() == WindowModel.CONTINUOUS
          && random.nextBoolean()) {
        rule.burst(200L * (1 + random.nextInt(100)));
      }
      try (SimulatedRegions world = world("seed-" + seed, rule.build())) {
        for (int turn = 0; turn < 60; turn++) {
          randomEvent(world, random);
          Map<String, Double> demands = new TreeMap<>();
          world.regions.keySet().forEach(p -> demands.put(p, randomDemand(random)));
          world.run(Duration.ofMillis(100L * (1 + random.nextInt(150))), demands);
        }
      }
    }
  }

  private static double randomDemand(Random random) {
    return random.nextInt(3) == 0 ? 0 : Math.exp(random.nextGaussian() - 0.5);
  }

  /** Applies a random event: a region or node is disconnected or reconnected, joins or leaves. */
  private static void randomEvent(SimulatedRegions world, Random random) {
    List<SimulatedRegions.SimulatedRegion> regions = new ArrayList<>(world.regions.values());
    SimulatedRegions.SimulatedRegion region = regions.get(random.nextInt(regions.size()));
    List<SimulatedRegions.SimulatedRegionNode> nodes = region.nodes;
    SimulatedRegions.SimulatedRegionNode node = nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(8)) {
      case 0 -> region.disconnected = !region.disconnected;
      case 1 -> node.disconnected = !node.disconnected;
      case 2, 3 -> {
        if (!region.disconnected && nodes.size() < 3) {
          nodes.add(world.new SimulatedRegionNode(region));
        }
      }
      case 4 -> {
        if (nodes.size() > 1) {
          node.crash();
        }
      }
      case 5 -> {
        if (nodes.size() > 1) {
          node.leave();
        }
      }
      default -> {
        region.disconnected = false;
        nodes.forEach(one -> one.disconnected = false);
      }
    }
  }

  private static SimulatedRegions world(String name, Rule rule) {
    return new SimulatedRegions(link.uri(), name.replace('/', '-'), rule);
  }

  private static Map<String, Integer> shares(SimulatedRegions world) {
    Map<String, Integer> shares = new TreeMap<>();
    world.regions.forEach((name, region) -> shares.put(name, region.largestShare()));
    return shares;
  }
}
