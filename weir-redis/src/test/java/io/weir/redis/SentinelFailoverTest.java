package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.FAULT_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.redis.RedisLoadGenerator.RedisLoadSample;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import io.weir.testkit.redis.RedisSentinels;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A sentinel failover. */
@Tag("slow")
class SentinelFailoverTest {

  /**
   * Replication is asynchronous, so the new primary may lack the last admissions of the old one and
   * admit as many again. The bound is the number of admissions after the last moment at which both
   * replicas were known to be in sync.
   */
  @Test
  @DisplayName("Sentinel failover: recovers unaided, admits only unreplicated permits twice")
  void failover_recoversAndAdmitsNoMoreTwiceThanWasUnreplicated() {
    int limit = 20_000;
    Rule rule = budget("a6", limit, StoreFailureFallback.CLOSED);
    try (RedisSentinels sentinels = RedisSentinels.start();
        RedisStore store = openAndAwait(RedisStore.at(sentinels.uri()).deadline(FAULT_DEADLINE));
        RedisLoadGenerator load =
            RedisLoadGenerator.start(store, 8, i -> new Claim[] {claim(store, rule, "all", 1)})) {
      Await.until(AWAIT_TIMEOUT, "a steady load", () -> load.admittedCount() > 4000);
      RedisProcess old = sentinels.primary();

      long replicatedMicros = RedisLoadGenerator.nowMicros();
      old.command("SET", "after", "all that is replicated");
      assertThat(old.command("WAIT", "2", "8000")).as("replicas in sync").isEqualTo(2L);
      old.kill();
      long killedMicros = RedisLoadGenerator.nowMicros();
      Await.until(AWAIT_TIMEOUT, "signals", () -> !store.health().available());
      Duration recoveryTime =
          Await.until(AWAIT_TIMEOUT, "another primary", () -> load.answeredInARow() > 100);
      assertThat(sentinels.primary().port()).isNotEqualTo(old.port());
      assertThat(store.health().available()).isTrue();
      Await.until(
          AWAIT_TIMEOUT, "the end of the budget", () -> load.admittedCount() >= limit - 1000);
      Await.until(
          AWAIT_TIMEOUT,
          "refusals",
          () -> {
            ClaimOutcome o = RedisStoreTestSupport.peek(store, rule, "all");
            return !o.admitted() && !o.degraded();
          });

      List<RedisLoadSample> samples = load.stop();
      long admitted = samples.stream().filter(RedisLoadSample::admitted).count();
      long unreplicated =
          samples.stream()
              .filter(RedisLoadSample::admitted)
              .filter(s -> s.startMicros() < killedMicros && s.endMicros() > replicatedMicros)
              .count();
      System.out.printf(
          "failover: another primary after %d ms; %d admitted of %d; bound %d%n",
          recoveryTime.toMillis(), admitted, limit, limit + unreplicated);
      assertThat(samples).noneMatch(s -> s.degraded() && s.withinLimits());
      assertThat(admitted).isLessThanOrEqualTo(limit + unreplicated);
      assertThat(admitted)
          .as("all but what was charged without a reply")
          .isGreaterThanOrEqualTo(limit - 1024);
    }
  }
}
