package io.weir.redis;

import static io.weir.redis.Asking.D;
import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.claim;
import static io.weir.redis.Asking.joined;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.Load.Sample;
import io.weir.rule.Claim;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.Outcome;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import io.weir.testkit.redis.RedisSentinels;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Another server takes over. */
@Tag("slow")
class FaultsSentinelTest {

  /**
   * Replication does not wait, so the new primary may not know the last admissions of the old one,
   * and admits as many again. The bound: what was answered after the last moment up to which both
   * replicas are known to know all.
   */
  @Test
  @DisplayName("A6 Sentinel failover: recovers unaided, admits no more twice than was under way")
  void a6_failover() {
    int limit = 20_000;
    Rule rule = budget("a6", limit, Posture.CLOSED);
    try (RedisSentinels sentinels = RedisSentinels.start();
        RedisStore store = joined(RedisStore.at(sentinels.uri()).deadline(D));
        Load load = Load.on(store, 8, i -> new Claim[] {claim(store, rule, "all", 1)})) {
      Soon.until(LONG, "a steady load", () -> load.admitted() > 4000);
      RedisProcess old = sentinels.primary();

      long known = Load.now();
      old.command("SET", "after", "all that is known");
      assertThat(old.command("WAIT", "2", "8000")).as("replicas in step").isEqualTo(2L);
      old.kill();
      long killed = Load.now();
      Soon.until(LONG, "signals", () -> !store.health().available());
      Duration took = Soon.until(LONG, "another primary", () -> load.inARow() > 100);
      assertThat(sentinels.primary().port()).isNotEqualTo(old.port());
      assertThat(store.health().available()).isTrue();
      Soon.until(LONG, "the end of the budget", () -> load.admitted() >= limit - 1000);
      Soon.until(
          LONG,
          "refusals",
          () -> {
            Outcome o = Asking.peek(store, rule, "all");
            return !o.fits() && !o.degraded();
          });

      List<Sample> all = load.stop();
      long admitted = all.stream().filter(Sample::admitted).count();
      long lastOnes =
          all.stream()
              .filter(Sample::admitted)
              .filter(s -> s.began() < killed && s.ended() > known)
              .count();
      System.out.printf(
          "A6: another primary after %d ms; %d admitted of %d; bound %d%n",
          took.toMillis(), admitted, limit, limit + lastOnes);
      assertThat(all).noneMatch(s -> s.degraded() && s.fits());
      assertThat(admitted).isLessThanOrEqualTo(limit + lastOnes);
      assertThat(admitted).as("what was charged unheard").isGreaterThanOrEqualTo(limit - 1024);
    }
  }
}
