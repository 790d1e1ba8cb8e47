package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.testkit.LogLines;
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

/** Regions follow demand and never admit more than the whole limit, whatever becomes of them. */
@Tag("slow")
class RegionsBoundTest {
  private static final long SEED = Long.getLong("weir.seed", 1);
  private static final int HISTORIES = 20;
  private static final List<String> ALGORITHMS =
      List.of("token-bucket", "leaky-bucket", "fixed-window", "sliding-log", "sliding-counter");
  private static final List<String> RATES = List.of("1000/second", "6000/10s", "9000/minute");

  private static RedisProcess link;
  private static LogLines log;

  @BeforeAll
  static void start() {
    log = new LogLines();
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
  void sharesFollowDemandAndComeBack(String algorithm, String rate, int seconds) {
    Duration phase = Duration.ofSeconds(seconds);
    try (RegionWorld world = world("follow-" + algorithm + rate, rule(algorithm, rate).build())) {
      world.run(phase, Map.of());
      assertThat(shares(world)).isEqualTo(Map.of("eu", 500, "us", 300, "ap", 200));

      world.run(phase, Map.of("us", 2.0));
      assertThat(world.share("us")).as("nearly all").isGreaterThan(900);

      world.run(phase, Map.of("eu", 2.0, "us", 2.0, "ap", 2.0));
      assertThat(world.share("eu")).isCloseTo(500, within(25));
      assertThat(world.share("us")).isCloseTo(300, within(25));
      assertThat(world.share("ap")).isCloseTo(200, within(25));

      world.run(phase, Map.of("ap", 2.0));
      assertThat(world.share("ap")).isGreaterThan(850);
    }
  }

  @Test
  void aRegionThatIsCutOffKeepsItsShareAndTheOthersDivideTheRest() {
    try (RegionWorld world = world("cut", rule("token-bucket", "1000/second").build())) {
      world.run(Duration.ofSeconds(20), Map.of("eu", 2.0));
      int kept = world.share("eu");
      assertThat(kept).isGreaterThan(900);
      world.place("eu").cut = true;
      world.run(Duration.ofMinutes(2), Map.of("eu", 2.0, "us", 2.0, "ap", 2.0));
      assertThat(world.share("eu")).isEqualTo(kept);
      assertThat(world.share("us")).isGreaterThan(world.share("ap"));
      world.place("eu").cut = false;
      world.run(Duration.ofSeconds(20), Map.of("eu", 2.0, "us", 2.0, "ap", 2.0));
      assertThat(world.share("eu")).isCloseTo(500, within(25));
    }
  }

  @Test
  void aNodeThatIsCutOffAloneHoldsWhatItEnforcesUntilItIsGone() {
    try (RegionWorld world = world("alone", rule("token-bucket", "1000/second").build())) {
      RegionWorld.Place eu = world.place("eu");
      RegionWorld.Node second = world.new Node(eu);
      eu.nodes.add(second);
      world.run(Duration.ofSeconds(6), Map.of());
      second.cut = true;
      world.run(Duration.ofMinutes(1), Map.of("us", 2.0));
      assertThat(second.share()).isEqualTo(500);
      assertThat(world.share("us")).as("not what the silent node may give out").isLessThan(500);
      second.die();
      world.run(Duration.ofSeconds(20), Map.of("us", 2.0));
      assertThat(world.share("us")).isGreaterThan(900);
    }
  }

  @Test
  void aLedgerThatIsLostIsWrittenAnewFromWhatIsEnforced() {
    try (RegionWorld world = world("lost", rule("token-bucket", "1000/second").build())) {
      world.run(Duration.ofSeconds(20), Map.of("us", 2.0));
      int before = world.share("us");
      link.command("FLUSHALL");
      world.run(Duration.ofSeconds(20), Map.of("us", 2.0));
      assertThat(world.share("us")).isCloseTo(before, within(25));
      world.run(Duration.ofSeconds(20), Map.of("us", 2.0, "eu", 2.0, "ap", 2.0));
      assertThat(world.share("eu")).isCloseTo(500, within(25));
    }
  }

  @Test
  void whatNobodyHasIsHeldForARegionThatIsNotNamed() {
    Rule rule = rule("token-bucket", "1000/second").regions(Map.of("eu", 40, "us", 30)).build();
    try (RegionWorld world = world("rest", rule)) {
      world.run(Duration.ofSeconds(20), Map.of("eu", 2.0));
      assertThat(world.share("eu")).isBetween(650, 700);
      world.places.put("ap", world.new Place("ap"));
      assertThat(world.share("ap")).isEqualTo(300);
      world.run(Duration.ofSeconds(20), Map.of("eu", 2.0));
      assertThat(world.share("eu")).isGreaterThan(900);
      world.places.put("sa", world.new Place("sa"));
      assertThat(world.share("sa")).as("only what is free").isLessThan(50);
    }
  }

  @Test
  void theBoundHoldsInAnyHistory() {
    for (long seed = SEED; seed < SEED + HISTORIES; seed++) {
      Random random = new Random(seed);
      String rate = RATES.get(random.nextInt(RATES.size()));
      String algorithm = ALGORITHMS.get(random.nextInt(ALGORITHMS.size()));
      RuleBuilder rule = rule(algorithm, algorithm.equals("sliding-log") ? "2000/10s" : rate);
      if (rule.build().algorithm().bursts() && random.nextBoolean()) {
        rule.burst(200L * (1 + random.nextInt(100)));
      }
      try (RegionWorld world = world("seed-" + seed, rule.build())) {
        for (int turn = 0; turn < 60; turn++) {
          happen(world, random);
          Map<String, Double> demands = new TreeMap<>();
          world.places.keySet().forEach(p -> demands.put(p, demand(random)));
          world.run(Duration.ofMillis(100L * (1 + random.nextInt(150))), demands);
        }
      }
    }
  }

  private static double demand(Random random) {
    return random.nextInt(3) == 0 ? 0 : Math.exp(random.nextGaussian() - 0.5);
  }

  /** Something befalls a region: it is cut off or found again, a node comes, leaves or dies. */
  private static void happen(RegionWorld world, Random random) {
    List<RegionWorld.Place> places = new ArrayList<>(world.places.values());
    RegionWorld.Place place = places.get(random.nextInt(places.size()));
    List<RegionWorld.Node> nodes = place.nodes;
    RegionWorld.Node node = nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(8)) {
      case 0 -> place.cut = !place.cut;
      case 1 -> node.cut = !node.cut;
      case 2, 3 -> {
        if (!place.cut && nodes.size() < 3) {
          nodes.add(world.new Node(place));
        }
      }
      case 4 -> {
        if (nodes.size() > 1) {
          node.die();
        }
      }
      case 5 -> {
        if (nodes.size() > 1) {
          node.leave();
        }
      }
      default -> {
        place.cut = false;
        nodes.forEach(one -> one.cut = false);
      }
    }
  }

  private static RegionWorld world(String name, Rule rule) {
    return new RegionWorld(link.uri(), name.replace('/', '-'), rule);
  }

  private static Map<String, Integer> shares(RegionWorld world) {
    Map<String, Integer> shares = new TreeMap<>();
    world.places.forEach((name, place) -> shares.put(name, place.share()));
    return shares;
  }
}
