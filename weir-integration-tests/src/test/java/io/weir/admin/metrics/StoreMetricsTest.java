package io.weir.admin.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.metrics.NodeHealth;
import io.weir.redis.RedisStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.Clock;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Store metrics with a real Redis. */
class StoreMetricsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String DEGRADED = "weir_degraded_decisions_total";

  @Test
  void redisLostAndBack_isShown() {
    RuleSet rules =
        RuleSet.of(
            rule("open", StoreFailureFallback.OPEN), rule("login", StoreFailureFallback.CLOSED));
    try (ServerMetrics metrics = new ServerMetrics(Clock.system());
        RedisProcess redis = RedisProcess.start();
        RedisStore store =
            RedisStore.at(redis.uri())
                .deadline(Duration.ofSeconds(2))
                .listener(metrics.storeListener())
                .open()) {
      metrics.bindNode(NodeHealth.of(rules, store));
      Limiter limiter =
          Weir.limiter(rules).store(store).listener(metrics.decisionMetrics()).build();
      Request request = Request.of("user", "ann");
      Await.until(
          TIMEOUT,
          "Redis replies in time",
          () -> !limiter.decideNow(request).degraded() && !limiter.peek(request).join().degraded());
      ScrapedMetrics healthy = ScrapedMetrics.of(metrics);
      assertThat(healthy.value("weir_store_seconds_count{operation=\"take\"}")).isPositive();
      assertThat(healthy.value("weir_store_seconds_count{operation=\"peek\"}")).isPositive();
      assertThat(healthy.value("weir_store_seconds_count{operation=\"refund\"}")).isZero();
      assertThat(healthy.value("weir_store_available")).isEqualTo(1);
      double before = healthy.value(DEGRADED + "{posture=\"closed\",rule=\"login\"}");

      redis.kill();
      Await.until(
          TIMEOUT,
          "the store is lost",
          () ->
              limiter.decideNow(request).degraded()
                  && ScrapedMetrics.of(metrics).value("weir_store_lost_total") >= 1);
      ScrapedMetrics unavailable = ScrapedMetrics.of(metrics);
      assertThat(unavailable.value("weir_store_available")).isZero();
      assertThat(unavailable.value(DEGRADED + "{posture=\"closed\",rule=\"login\"}"))
          .isGreaterThan(before);
      assertThat(unavailable.value(DEGRADED + "{posture=\"open\",rule=\"open\"}")).isPositive();
      assertThat(unavailable.value("weir_store_errors_total{kind=\"unreachable\"}")).isPositive();

      redis.restart();
      Await.until(
          TIMEOUT,
          "the store is back",
          () ->
              !limiter.decideNow(request).degraded()
                  && ScrapedMetrics.of(metrics).value("weir_store_available") == 1);
    }
  }

  private static Rule rule(String id, StoreFailureFallback posture) {
    return Rule.named(id).per("user").limit("1000/second").onStoreFailure(posture).build();
  }
}
