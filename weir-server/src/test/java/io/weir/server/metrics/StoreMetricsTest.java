package io.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.metrics.Vitals;
import io.weir.redis.RedisStore;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a real Redis does, as the page shows it. */
class StoreMetricsTest {
  private static final Duration PATIENT = Duration.ofSeconds(60);
  private static final String DEGRADED = "weir_degraded_decisions_total";

  @Test
  void aRedisThatGoesAndComesBackIsSeen() {
    RuleSet rules = RuleSet.of(rule("open", Posture.OPEN), rule("login", Posture.CLOSED));
    try (Metrics metrics = new Metrics(Clock.system());
        RedisProcess redis = RedisProcess.start();
        RedisStore store =
            RedisStore.at(redis.uri())
                .deadline(Duration.ofSeconds(2))
                .listener(metrics.store())
                .open()) {
      metrics.watch(Vitals.of(rules, store));
      Limiter limiter = Weir.limiter(rules).store(store).listener(metrics.decisions()).build();
      Request request = Request.of("user", "ann");
      Soon.until(
          PATIENT,
          "answers in time",
          () -> !limiter.decideNow(request).degraded() && !limiter.peek(request).join().degraded());
      Page well = Page.of(metrics);
      assertThat(well.value("weir_store_seconds_count{operation=\"take\"}")).isPositive();
      assertThat(well.value("weir_store_seconds_count{operation=\"peek\"}")).isPositive();
      assertThat(well.value("weir_store_seconds_count{operation=\"refund\"}")).isZero();
      assertThat(well.value("weir_store_available")).isEqualTo(1);
      double before = well.value(DEGRADED + "{posture=\"closed\",rule=\"login\"}");

      redis.kill();
      Soon.until(
          PATIENT,
          "the store lost",
          () ->
              limiter.decideNow(request).degraded()
                  && Page.of(metrics).value("weir_store_lost_total") >= 1);
      Page away = Page.of(metrics);
      assertThat(away.value("weir_store_available")).isZero();
      assertThat(away.value(DEGRADED + "{posture=\"closed\",rule=\"login\"}"))
          .isGreaterThan(before);
      assertThat(away.value(DEGRADED + "{posture=\"open\",rule=\"open\"}")).isPositive();
      assertThat(away.value("weir_store_errors_total{kind=\"unreachable\"}")).isPositive();

      redis.restart();
      Soon.until(
          PATIENT,
          "the store back",
          () ->
              !limiter.decideNow(request).degraded()
                  && Page.of(metrics).value("weir_store_available") == 1);
    }
  }

  private static Rule rule(String id, Posture posture) {
    return Rule.named(id).per("user").limit("1000/second").onStoreFailure(posture).build();
  }
}
