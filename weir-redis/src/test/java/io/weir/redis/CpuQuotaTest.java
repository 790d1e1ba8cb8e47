package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node that gets less CPU than it wants, as a container under a quota, at the default deadline:
 * its own standing still is not held against a healthy Redis.
 */
@Tag("slow")
class CpuQuotaTest {
  private static final Duration DEFAULT_DEADLINE = Duration.ofMillis(5);
  private static final int QUOTA_PERCENT = 30;
  private static final int LOAD_PERCENT = 60;
  private static final int ATTEMPTS = 4000;
  private static final long MAX_ANSWER_MICROS = 500_000;

  @Test
  void nodeUnderACpuQuota_isExactWithAHealthyRedis_andFallsBackWhileRedisIsFrozen() {
    try (CpuQuota quota = quota();
        RedisProcess redis = RedisProcess.start();
        NodeProcess node = NodeProcess.start(redis.uri(), DEFAULT_DEADLINE, Map.of())) {
      assertThat(node.hear()).isEqualTo("ready");
      node.ask("take token-bucket 1000/hour+1000000 warm 8000 16");
      quota.add(node.pid());
      int rate = LOAD_PERCENT * capacity(node) / 100;
      long before = quota.throttled();

      Result healthy = Result.of(node.ask(pace(rate, 5)));
      long throttled = quota.throttled() - before;
      System.out.println("under a quota of " + QUOTA_PERCENT + " % at " + rate + "/s: " + healthy);
      assertThat(throttled).as("the quota was felt").isPositive();
      assertThat(healthy.degraded).as("%s", healthy).isZero();
      assertThat(healthy.admitted).isEqualTo(5L * rate);

      node.say(pace(rate, 4));
      Soon.pass(Duration.ofSeconds(1));
      redis.freeze();
      Soon.pass(Duration.ofMillis(1500));
      redis.thaw();
      Result frozen = Result.of(node.hear());
      System.out.println("with Redis frozen for 1.5 s: " + frozen);
      assertThat(frozen.degraded).isPositive();
      assertThat(frozen.longestMicros)
          .as("the deadline, and for how long the node stood still")
          .isLessThan(MAX_ANSWER_MICROS);
      assertThat(Result.of(node.ask(pace(rate, 1))).degraded).as("exact again").isZero();
    }
  }

  /** What a run of requests at an even pace came to. */
  private record Result(long admitted, long degraded, long longestMicros) {
    static Result of(String line) {
      String[] words = line.split(" ", -1);
      return new Result(
          Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
    }
  }

  private static String pace(int perSecond, int seconds) {
    return "pace exact token-bucket 1000/hour+1000000 paced " + perSecond + " " + seconds;
  }

  /** Decisions a second, each caller asking again when it is answered. */
  private static int capacity(NodeProcess node) {
    long began = Load.now();
    assertThat(node.ask("take token-bucket 1000/hour+1000000 capacity " + ATTEMPTS + " 16"))
        .hasSize(ATTEMPTS);
    return (int) (ATTEMPTS * 1_000_000L / (Load.now() - began));
  }

  private static CpuQuota quota() {
    try {
      return CpuQuota.percent(QUOTA_PERCENT);
    } catch (IOException e) {
      Assumptions.abort("no CPU quota can be set here: " + e);
      throw new AssertionError(e);
    }
  }
}
