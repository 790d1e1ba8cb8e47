package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.FAULT_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisLoadGenerator.RedisLoadSample;
import io.weir.rule.Claim;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.ClaimOutcome;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import io.weir.testkit.redis.RedisSentinels;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Another server takes over. */
@Tag("slow")
class SentinelFailoverTest {

  /**
   * Replication does not wait, so the new primary may not know the last admissions of the old one,
   * and admits as many again. The bound: what was answered after the last moment up to which both
   * replicas are known to know all.
   */
  @Test
  @DisplayName("A6 Sentinel failover: recovers unaided, admits no more twice than was under way")
  void failover_recoversAndAdmitsNoMoreTwiceThanWasUnreplicated() {
    int limit = 20_000;
    Rule rule = budget("a6", limit, StoreFailureFallback.CLOSED);
    try (RedisSentinels sentinels = RedisSentinels.start();
        RedisStore store = openAndAwait(RedisStore.at(sentinels.uri()).deadline(FAULT_DEADLINE));
        RedisLoadGenerator load =
            RedisLoadGenerator.start(store, 8, i -> new Claim[] {claim(store, rule, "all", 1)})) {
      Await.until(AWAIT_TIMEOUT, "a steady load", () -> load.admittedCount() > 4000);
      RedisProcess old = sentinels.primary();

      long known = RedisLoadGenerator.nowMicros();
      old.command("SET", "after", "all that is known");
      assertThat(old.command("WAIT", "2", "8000")).as("replicas in step").isEqualTo(2L);
      old.kill();
      long killed = RedisLoadGenerator.nowMicros();
      Await.until(AWAIT_TIMEOUT, "signals", () -> !store.health().available());
      Duration took =
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

      List<RedisLoadSample> all = load.stop();
      long admitted = all.stream().filter(RedisLoadSample::admitted).count();
      long lastOnes =
          all.stream()
              .filter(RedisLoadSample::admitted)
              .filter(s -> s.startMicros() < killed && s.endMicros() > known)
              .count();
      System.out.printf(
          "A6: another primary after %d ms; %d admitted of %d; bound %d%n",
          took.toMillis(), admitted, limit, limit + lastOnes);
      assertThat(all).noneMatch(s -> s.degraded() && s.withinLimits());
      assertThat(admitted).isLessThanOrEqualTo(limit + lastOnes);
      assertThat(admitted).as("what was charged unheard").isGreaterThanOrEqualTo(limit - 1024);
    }
  }
}
