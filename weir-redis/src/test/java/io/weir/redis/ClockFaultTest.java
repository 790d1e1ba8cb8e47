package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.Clock;
import io.weir.testkit.Await;
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

/** Nodes and servers with wrong clocks, and nodes that are frozen. */
@Tag("slow")
class ClockFaultTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final long HOUR_MICROS = 3_600_000_000L;

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
  @DisplayName("a node's clock is one hour off: it admits the same as with a correct clock")
  void nodeClockOneHourOff_admitsTheSame() {
    try (RedisTestNodeProcess right = RedisTestNodeProcess.start(redis.uri(), DEADLINE, Map.of());
        RedisTestNodeProcess fast = startSkewedNode(Duration.ofHours(1));
        RedisTestNodeProcess slow = startSkewedNode(Duration.ofHours(-1))) {
      assertThat(right.readLine() + fast.readLine() + slow.readLine()).isEqualTo("readyreadyready");
      assertThat(clockOffsetMicros(fast))
          .as("offset of the skewed clock")
          .isGreaterThan(HOUR_MICROS / 2);
      assertThat(clockOffsetMicros(slow)).isLessThan(-HOUR_MICROS / 2);
      for (Algorithm algorithm : Algorithms.all()) {
        String take = "take " + algorithm.name() + " 10/300d ";
        String control = right.request(take + "control 30 1");
        assertThat(control).isEqualTo("y".repeat(10) + "n".repeat(20));
        assertThat(fast.request(take + "fast 30 1")).isEqualTo(control);
        assertThat(slow.request(take + "slow 30 1")).isEqualTo(control);
      }
      Await.until(
          AWAIT_TIMEOUT,
          "a reported drift of one hour",
          () -> Math.abs(Long.parseLong(fast.request("drift")) + HOUR_MICROS / 1000) < 60_000);
    }
  }

  @Test
  @DisplayName("nodes with clocks ten minutes apart share one budget")
  void nodesTenMinutesApart_shareOneBudget() {
    try (RedisTestNodeProcess fast = startSkewedNode(Duration.ofMinutes(5));
        RedisTestNodeProcess slow = startSkewedNode(Duration.ofMinutes(-5))) {
      assertThat(fast.readLine() + slow.readLine()).isEqualTo("readyready");
      for (Algorithm algorithm : Algorithms.all()) {
        String take = "take " + algorithm.name() + " 1000/300d both 1600 16";
        fast.send(take);
        slow.send(take);
        String both = fast.readLine() + slow.readLine();
        assertThat(both).doesNotContain("d");
        assertThat(both.chars().filter(letter -> letter == 'y').count())
            .as(algorithm.name())
            .isEqualTo(1000);
      }
    }
  }

  @ParameterizedTest(name = "the clock of Redis steps by {0}")
  @ValueSource(strings = {"PT1H", "PT-1H"})
  void redisClockStep_mintsAtMostOneBurstAndBlocksAtMostOneWindow(Duration step) {
    SkewedSystemClock clock = new SkewedSystemClock().setAhead(Duration.ZERO);
    Duration window = Duration.ofSeconds(1);
    try (RedisProcess server = clock.startRedis();
        RedisStore store = openAndAwait(RedisStore.at(server.uri()).deadline(DEADLINE))) {
      for (Algorithm algorithm : Algorithms.all()) {
        Rule rule =
            Rule.named("b3")
                .algorithm(algorithm.name())
                .limit("10/second")
                .onStoreFailure(StoreFailureFallback.CLOSED)
                .build();
        clock.setAhead(Duration.ZERO);
        assertThat(RedisStoreTestSupport.take(store, rule, "x", 10).admitted()).isTrue();
        clock.setAhead(step);
        long startMicros = RedisLoadGenerator.nowMicros();
        int admitted = RedisStoreTestSupport.countAdmitted(store, rule, "x", 200);
        long refilled = 10 * (RedisLoadGenerator.nowMicros() - startMicros) / 1_000_000;
        assertThat(admitted)
            .as(algorithm.name() + ": at most one more burst, plus that of a new window")
            .isLessThanOrEqualTo((int) (2 * 10 + refilled));
        Await.until(
            window.multipliedBy(2),
            algorithm.name() + ": admitted again after at most a window",
            () -> RedisStoreTestSupport.take(store, rule, "x", 1).admitted());
      }
      Await.until(
          AWAIT_TIMEOUT,
          "the reported drift",
          () -> store.health().clockDrift().minus(step).abs().compareTo(Duration.ofMinutes(1)) < 0);
    }
  }

  @Test
  @DisplayName("JVM frozen during a call: the reply that arrived meanwhile is used")
  void replyDuringNodeFreeze_isUsed() {
    Duration deadline = Duration.ofSeconds(2);
    Rule rule = budget("node", 10, StoreFailureFallback.CLOSED);
    String command = "one token-bucket 1/hour+10 frozen";
    try (FaultProxy proxy = FaultProxy.to(redis.port());
        RedisStore control = openAndAwait(RedisStore.at(redis.uri()).deadline(DEADLINE));
        RedisTestNodeProcess node =
            RedisTestNodeProcess.start("redis://127.0.0.1:" + proxy.port(), deadline, Map.of())) {
      assertThat(node.readLine()).isEqualTo("ready");
      node.send(command);
      assertThat(node.readLine()).isEqualTo("asking");
      assertThat(node.readLine()).as("in time").isEqualTo("false true");

      proxy.holdReplies(true); // so that it is stopped between request and reply
      node.send(command);
      assertThat(node.readLine()).isEqualTo("asking");
      Await.until(
          AWAIT_TIMEOUT,
          "the charge",
          () -> RedisStoreTestSupport.usedPermits(control, rule, "frozen") == 2);
      node.signal("STOP");
      proxy.holdReplies(false);
      Await.sleep(deadline.plusSeconds(1));
      node.signal("CONT");
      assertThat(node.readLine()).as("charged and admitted").isEqualTo("false true");
      assertThat(RedisStoreTestSupport.usedPermits(control, rule, "frozen")).isEqualTo(2);

      StringBuilder letters = new StringBuilder();
      Await.until(
          AWAIT_TIMEOUT,
          "the end of the budget",
          () -> {
            String letter = node.request("take token-bucket 1/hour+10 frozen 1 1");
            letters.append(letter);
            return letter.equals("n");
          });
      assertThat(letters.toString()).as("exact").isEqualTo("y".repeat(8) + "n");
      assertThat(RedisStoreTestSupport.usedPermits(control, rule, "frozen")).isEqualTo(10);
    }
  }

  private static RedisTestNodeProcess startSkewedNode(Duration ahead) {
    return RedisTestNodeProcess.start(
        redis.uri(), DEADLINE, new SkewedSystemClock().setAhead(ahead).environment());
  }

  private static long clockOffsetMicros(RedisTestNodeProcess node) {
    return Long.parseLong(node.request("wall")) - Clock.wall().micros();
  }
}
