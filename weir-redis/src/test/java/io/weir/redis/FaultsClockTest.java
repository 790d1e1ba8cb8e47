package io.weir.redis;

import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.joined;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.Clock;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.FaultProxy;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes whose clocks are wrong, or that stand still while time goes on. */
@Tag("slow")
class FaultsClockTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final long HOUR = 3_600_000_000L;

  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @Test
  @DisplayName("B1 a node's clock is an hour off: the same admissions as with a right one")
  void b1_nodeClock() {
    try (NodeProcess right = NodeProcess.start(redis.uri(), DEADLINE, Map.of());
        NodeProcess fast = skewed(Duration.ofHours(1));
        NodeProcess slow = skewed(Duration.ofHours(-1))) {
      assertThat(right.hear() + fast.hear() + slow.hear()).isEqualTo("readyreadyready");
      assertThat(ahead(fast)).as("the clock is wrong indeed").isGreaterThan(HOUR / 2);
      assertThat(ahead(slow)).isLessThan(-HOUR / 2);
      for (Algorithm algorithm : Algorithms.all()) {
        String take = "take " + algorithm.name() + " 10/300d ";
        String control = right.ask(take + "control 30 1");
        assertThat(control).isEqualTo("y".repeat(10) + "n".repeat(20));
        assertThat(fast.ask(take + "fast 30 1")).isEqualTo(control);
        assertThat(slow.ask(take + "slow 30 1")).isEqualTo(control);
      }
      Soon.until(
          LONG,
          "the store said to be an hour behind",
          () -> Math.abs(Long.parseLong(fast.ask("drift")) + HOUR / 1000) < 60_000);
    }
  }

  @Test
  @DisplayName("B2 nodes ten minutes apart share one budget")
  void b2_skew() {
    try (NodeProcess fast = skewed(Duration.ofMinutes(5));
        NodeProcess slow = skewed(Duration.ofMinutes(-5))) {
      assertThat(fast.hear() + slow.hear()).isEqualTo("readyready");
      for (Algorithm algorithm : Algorithms.all()) {
        String take = "take " + algorithm.name() + " 1000/300d both 1600 16";
        fast.say(take);
        slow.say(take);
        String both = fast.hear() + slow.hear();
        assertThat(both).doesNotContain("d");
        assertThat(both.chars().filter(letter -> letter == 'y').count())
            .as(algorithm.name())
            .isEqualTo(1000);
      }
    }
  }

  @ParameterizedTest(name = "B3 the clock of Redis steps by {0}")
  @ValueSource(strings = {"PT1H", "PT-1H"})
  void b3_storeClock(Duration step) {
    WrongClock clock = new WrongClock().ahead(Duration.ZERO);
    Duration window = Duration.ofSeconds(1);
    try (RedisProcess server = clock.redis();
        RedisStore store = joined(RedisStore.at(server.uri()).deadline(DEADLINE))) {
      for (Algorithm algorithm : Algorithms.all()) {
        Rule rule =
            Rule.named("b3")
                .algorithm(algorithm)
                .limit("10/second")
                .onStoreFailure(Posture.CLOSED)
                .build();
        clock.ahead(Duration.ZERO);
        assertThat(Asking.take(store, rule, "x", 10).fits()).isTrue();
        clock.ahead(step);
        long began = Load.now();
        int admitted = Asking.admitted(store, rule, "x", 200);
        long refilled = 10 * (Load.now() - began) / 1_000_000;
        assertThat(admitted)
            .as(algorithm.name() + ": one more burst, and one that a new window may bring")
            .isLessThanOrEqualTo((int) (2 * 10 + refilled));
        Soon.until(
            window.multipliedBy(2),
            algorithm.name() + ": nobody refused longer than a window, and a moment",
            () -> Asking.take(store, rule, "x", 1).fits());
      }
      Soon.until(
          LONG,
          "the drift is told",
          () -> store.health().drift().minus(step).abs().compareTo(Duration.ofMinutes(1)) < 0);
    }
  }

  @Test
  @DisplayName("B4 JVM frozen mid-call: the reply that came meanwhile is used")
  void b4_frozenNode() {
    Duration deadline = Duration.ofSeconds(2);
    Rule rule = budget("node", 10, Posture.CLOSED);
    String one = "one token-bucket 1/hour+10 frozen";
    try (FaultProxy proxy = FaultProxy.to(redis.port());
        RedisStore control = joined(RedisStore.at(redis.uri()).deadline(DEADLINE));
        NodeProcess node =
            NodeProcess.start("redis://127.0.0.1:" + proxy.port(), deadline, Map.of())) {
      assertThat(node.hear()).isEqualTo("ready");
      node.say(one);
      assertThat(node.hear()).isEqualTo("asking");
      assertThat(node.hear()).as("in time").isEqualTo("false true");

      proxy.hold(true); // so that it is stopped between question and answer
      node.say(one);
      assertThat(node.hear()).isEqualTo("asking");
      Soon.until(LONG, "the charge", () -> Asking.used(control, rule, "frozen") == 2);
      node.signal("STOP");
      proxy.hold(false);
      Soon.pass(deadline.plusSeconds(1));
      node.signal("CONT");
      assertThat(node.hear()).as("charged, and its caller told so").isEqualTo("false true");
      assertThat(Asking.used(control, rule, "frozen")).isEqualTo(2);

      StringBuilder letters = new StringBuilder();
      Soon.until(
          LONG,
          "the end of the budget",
          () -> {
            String letter = node.ask("take token-bucket 1/hour+10 frozen 1 1");
            letters.append(letter);
            return letter.equals("n");
          });
      assertThat(letters.toString()).as("exact").isEqualTo("y".repeat(8) + "n");
      assertThat(Asking.used(control, rule, "frozen")).isEqualTo(10);
    }
  }

  private static NodeProcess skewed(Duration ahead) {
    return NodeProcess.start(redis.uri(), DEADLINE, new WrongClock().ahead(ahead).environment());
  }

  private static long ahead(NodeProcess node) {
    return Long.parseLong(node.ask("wall")) - Clock.wall().micros();
  }
}
