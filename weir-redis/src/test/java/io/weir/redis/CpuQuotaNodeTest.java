package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node with less CPU than it needs, like a container under a quota, at the default deadline: the
 * time for which the node is throttled does not count as a failure of a healthy Redis.
 */
@Tag("slow")
class CpuQuotaNodeTest {
  private static final Duration DEFAULT_DEADLINE = Duration.ofMillis(5);
  private static final int QUOTA_PERCENT = 30;
  private static final int LOAD_PERCENT = 60;
  private static final int CAPACITY_ATTEMPTS = 20_000;
  private static final int RATE_ADJUSTMENTS = 4;
  private static final long MAX_ANSWER_MICROS = 500_000;

  @Test
  void nodeUnderCpuQuota_isExactWithHealthyRedisAndFallsBackWhileRedisIsFrozen() throws Exception {
    try (CpuControlGroup quota = orAbort(() -> CpuControlGroup.withQuotaPercent(QUOTA_PERCENT));
        CpuControlGroup priority = orAbort(CpuControlGroup::withPriority);
        RedisProcess redis = RedisProcess.start();
        RedisTestNodeProcess node =
            RedisTestNodeProcess.start(redis.uri(), DEFAULT_DEADLINE, Map.of())) {
      priority.addProcess(redis.pid()); // other tests on this machine must not slow it down
      assertThat(node.readLine()).isEqualTo("ready");
      node.request("take token-bucket 1000/hour+1000000 warm 8000 16");
      quota.addProcess(node.pid());
      int rate = rateForLoad(node);
      long throttledBefore = quota.throttledPeriods();

      PacedLoadResult healthy = PacedLoadResult.of(node.request(paceCommand(rate, 5)));
      long throttled = quota.throttledPeriods() - throttledBefore;
      System.out.println("under a quota of " + QUOTA_PERCENT + " % at " + rate + "/s: " + healthy);
      assertThat(throttled).as("periods throttled by the quota").isPositive();
      assertThat(healthy.degraded).as("%s", healthy).isZero();
      assertThat(healthy.admitted).isEqualTo(5L * rate);

      node.send(paceCommand(rate, 4));
      Await.sleep(Duration.ofSeconds(1));
      redis.freeze();
      Await.sleep(Duration.ofMillis(1500));
      redis.thaw();
      PacedLoadResult frozen = PacedLoadResult.of(node.readLine());
      System.out.println("with Redis frozen for 1.5 s: " + frozen);
      assertThat(frozen.degraded).isPositive();
      assertThat(frozen.longestMicros)
          .as("the deadline plus the time the node was throttled")
          .isLessThan(MAX_ANSWER_MICROS);
      assertThat(PacedLoadResult.of(node.request(paceCommand(rate, 1))).degraded)
          .as("exact again")
          .isZero();
    }
  }

  /** The result of requests at an even pace. */
  private record PacedLoadResult(long admitted, long degraded, long longestMicros) {
    static PacedLoadResult of(String line) {
      String[] words = line.split(" ", -1);
      return new PacedLoadResult(
          Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
    }
  }

  private static String paceCommand(int perSecond, int seconds) {
    return "pace exact token-bucket 1000/hour+1000000 paced " + perSecond + " " + seconds;
  }

  /**
   * Returns the rate at which the node uses {@link #LOAD_PERCENT} of its quota. Callers that wait
   * for a reply before their next request share batches, so what they reach is only the first
   * guess.
   */
  private static int rateForLoad(RedisTestNodeProcess node) {
    long startMicros = RedisLoadGenerator.nowMicros();
    assertThat(
            node.request(
                "take token-bucket 1000/hour+1000000 capacity " + CAPACITY_ATTEMPTS + " 16"))
        .hasSize(CAPACITY_ATTEMPTS);
    double seconds = (RedisLoadGenerator.nowMicros() - startMicros) / 1e6;
    double rate = LOAD_PERCENT / 100.0 * CAPACITY_ATTEMPTS / seconds;
    for (int i = 0; i < RATE_ADJUSTMENTS; i++) {
      double loadPercent = measureLoadPercent(node, (int) rate);
      rate *= Math.min(2, LOAD_PERCENT / loadPercent);
    }
    return (int) rate;
  }

  /** Measures how much of its quota the node uses at a rate, in percent. */
  private static double measureLoadPercent(RedisTestNodeProcess node, int rate) {
    Duration cpuBefore = cpuTime(node);
    long startMicros = RedisLoadGenerator.nowMicros();
    node.request(paceCommand(rate, 1));
    double elapsedMicros = RedisLoadGenerator.nowMicros() - startMicros;
    double cpuMicros = cpuTime(node).minus(cpuBefore).toNanos() / 1e3;
    return 100 * cpuMicros / (elapsedMicros * QUOTA_PERCENT / 100);
  }

  private static Duration cpuTime(RedisTestNodeProcess node) {
    return ProcessHandle.of(node.pid()).orElseThrow().info().totalCpuDuration().orElseThrow();
  }

  private static CpuControlGroup orAbort(Callable<CpuControlGroup> creation) throws Exception {
    try {
      return creation.call();
    } catch (IOException e) {
      Assumptions.abort("cannot create a CPU control group here: " + e);
      throw new AssertionError(e);
    }
  }
}
