package io.weir.admin.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.LiveRules;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The number of time series is bounded, however rules change. */
class RuleMetricsCardinalityTest {
  private static final int MAX_RULES = 10;

  private final FakeClock clock = new FakeClock();
  private final ServerMetrics metrics = new ServerMetrics(clock, MAX_RULES);
  private final LiveRules rules = new LiveRules(List.of());
  private final Limiter limiter =
      Weir.limiter(rules).clock(clock).listener(metrics.decisionMetrics()).build();

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void rulesOverTheLimit_shareOneSeries() {
    metrics.bindNode(rules::current);
    rules.replace(numbered(0, 25));
    metrics.scrape();
    limiter.decideNow(Request.of());
    ScrapedMetrics page = ScrapedMetrics.of(metrics);
    assertThat(meteredRules(page)).hasSize(MAX_RULES + 1).contains("r0", "r9", "other");
    assertThat(allowedCount(page, "r9")).isEqualTo(1);
    assertThat(allowedCount(page, "other")).isEqualTo(15);
  }

  @Test
  void calendarAttributeWithoutSense_isCounted() {
    metrics.bindNode(rules::current);
    Rule rule =
        Rule.named("quota")
            .limit("5/month")
            .calendar(settings -> settings.withZone("tz", settings.zone()))
            .build();
    rules.replace(List.of(rule));
    limiter.decideNow(Request.of("tz", "Asia/Tokyo"));
    limiter.decideNow(Request.of("tz", "Mars/Base"));
    assertThat(metrics.scrape()).contains("weir_calendar_invalid_total{rule=\"quota\"} 1.0");
  }

  @Test
  void unboundMetrics_limitSeriesByFirstDecision() {
    rules.replace(numbered(0, 25));
    limiter.decideNow(Request.of());
    assertThat(meteredRules(ScrapedMetrics.of(metrics))).hasSize(MAX_RULES + 1);
    assertThat(allowedCount(ScrapedMetrics.of(metrics), "other")).isEqualTo(15);
  }

  @Test
  void deletedRule_isKeptForAWhileThenRemoved() {
    metrics.bindNode(rules::current);
    rules.replace(numbered(0, 3));
    limiter.decideNow(Request.of());
    rules.replace(numbered(0, 2));
    metrics.scrape();
    clock.advance(Duration.ofMinutes(14));
    assertThat(meteredRules(ScrapedMetrics.of(metrics)))
        .containsExactlyInAnyOrder("r0", "r1", "r2");
    clock.advance(Duration.ofMinutes(1));
    ScrapedMetrics page = ScrapedMetrics.of(metrics);
    assertThat(meteredRules(page)).containsExactlyInAnyOrder("r0", "r1");
    assertThat(allowedCount(page, "r0")).isEqualTo(1);
  }

  @Test
  void recreatedRule_keepsItsCounts() {
    metrics.bindNode(rules::current);
    rules.replace(numbered(0, 1));
    limiter.decideNow(Request.of());
    rules.replace(List.of());
    metrics.scrape();
    clock.advance(Duration.ofMinutes(10));
    rules.replace(numbered(0, 1));
    metrics.scrape();
    clock.advance(Duration.ofMinutes(10));
    limiter.decideNow(Request.of());
    assertThat(allowedCount(ScrapedMetrics.of(metrics), "r0")).isEqualTo(2);
  }

  @Test
  void deletedRules_makeRoomForNewRules() {
    metrics.bindNode(rules::current);
    rules.replace(numbered(0, 10));
    metrics.scrape();
    rules.replace(numbered(10, 20));
    metrics.scrape();
    clock.advance(Duration.ofSeconds(15));
    assertThat(meteredRules(ScrapedMetrics.of(metrics)))
        .contains("r10", "r19")
        .doesNotContain("r0", "r9");
  }

  @Test
  void manyRuleChanges_keepSeriesBounded() {
    metrics.bindNode(rules::current);
    for (int i = 0; i < 100; i++) {
      rules.replace(numbered(i * 7, i * 7 + 7));
      limiter.decideNow(Request.of());
      clock.advance(Duration.ofSeconds(1));
      metrics.scrape();
    }
    assertThat(meteredRules(ScrapedMetrics.of(metrics))).hasSizeBetween(7, MAX_RULES + 1);
  }

  @Test
  void requestLimit_isCountedWhileUsed() {
    metrics.bindNode(rules::current);
    Request ownLimit = Request.of("user", "ann").limit(Rate.parse("100/minute"));
    for (int i = 0; i < 5; i++) {
      limiter.decideNow(ownLimit);
      metrics.scrape();
      clock.advance(Duration.ofMinutes(10));
    }
    assertThat(allowedCount(ScrapedMetrics.of(metrics), "request-limit")).isEqualTo(5);
    clock.advance(Duration.ofMinutes(15));
    assertThat(meteredRules(ScrapedMetrics.of(metrics))).isEmpty();
  }

  @Test
  void ruleNamedOther_isKeptWhileOthersShareItsSeries() {
    metrics.bindNode(rules::current);
    List<Rule> many = new ArrayList<>(numbered(0, 25));
    many.add(0, rule("other"));
    rules.replace(many);
    metrics.scrape();
    limiter.decideNow(Request.of());
    assertThat(allowedCount(ScrapedMetrics.of(metrics), "other")).isEqualTo(17);
    rules.replace(numbered(0, 25));
    metrics.scrape();
    clock.advance(Duration.ofHours(1));
    metrics.scrape();
    limiter.decideNow(Request.of());
    assertThat(allowedCount(ScrapedMetrics.of(metrics), "other")).isGreaterThan(17);
  }

  @Test
  void changedFallback_startsDegradedCounterAtZero() {
    metrics.bindNode(rules::current);
    rules.replace(List.of(rule("api")));
    metrics.scrape();
    rules.replace(List.of(rule("api").edit().onStoreFailure(StoreFailureFallback.CLOSED).build()));
    assertThat(ScrapedMetrics.of(metrics).weirSeries())
        .contains(
            "weir_degraded_decisions_total{posture=\"open\",rule=\"api\"}",
            "weir_degraded_decisions_total{posture=\"closed\",rule=\"api\"}");
  }

  private static List<Rule> numbered(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> rule("r" + i)).toList();
  }

  private static Rule rule(String id) {
    return Rule.named(id).limit("1000/minute").build();
  }

  private static List<String> meteredRules(ScrapedMetrics page) {
    return page.weirSeries().stream()
        .filter(name -> name.startsWith("weir_decisions_total"))
        .map(name -> name.replaceFirst(".*rule=\"([^\"]*)\".*", "$1"))
        .distinct()
        .toList();
  }

  private static double allowedCount(ScrapedMetrics page, String rule) {
    return page.value("weir_decisions_total{outcome=\"allowed\",rule=\"" + rule + "\"}");
  }
}
