package io.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.LiveRules;
import io.weir.rule.Posture;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The number of series is bounded, whatever becomes of the rules. */
class MeteredRulesTest {
  private static final int MOST = 10;

  private final FakeClock clock = new FakeClock();
  private final Metrics metrics = new Metrics(clock, MOST);
  private final LiveRules rules = new LiveRules(List.of());
  private final Limiter limiter =
      Weir.limiter(rules).clock(clock).listener(metrics.decisions()).build();

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void rulesBeyondTheMostShareOne() {
    metrics.watch(rules::current);
    rules.replace(numbered(0, 25));
    metrics.scrape();
    limiter.decideNow(Request.of());
    Page page = Page.of(metrics);
    assertThat(metered(page)).hasSize(MOST + 1).contains("r0", "r9", "other");
    assertThat(allowed(page, "r9")).isEqualTo(1);
    assertThat(allowed(page, "other")).isEqualTo(15);
  }

  @Test
  void whoIsDecidedFirstIsCountedByNameEvenWhereNothingWatches() {
    rules.replace(numbered(0, 25));
    limiter.decideNow(Request.of());
    assertThat(metered(Page.of(metrics))).hasSize(MOST + 1);
    assertThat(allowed(Page.of(metrics), "other")).isEqualTo(15);
  }

  @Test
  void aDeletedRuleIsSeenForAWhileThenForgotten() {
    metrics.watch(rules::current);
    rules.replace(numbered(0, 3));
    limiter.decideNow(Request.of());
    rules.replace(numbered(0, 2));
    metrics.scrape();
    clock.advance(Duration.ofMinutes(14));
    assertThat(metered(Page.of(metrics))).containsExactlyInAnyOrder("r0", "r1", "r2");
    clock.advance(Duration.ofMinutes(1));
    Page page = Page.of(metrics);
    assertThat(metered(page)).containsExactlyInAnyOrder("r0", "r1");
    assertThat(allowed(page, "r0")).isEqualTo(1);
  }

  @Test
  void aRuleThatComesBackInTimeGoesOnCounting() {
    metrics.watch(rules::current);
    rules.replace(numbered(0, 1));
    limiter.decideNow(Request.of());
    rules.replace(List.of());
    metrics.scrape();
    clock.advance(Duration.ofMinutes(10));
    rules.replace(numbered(0, 1));
    metrics.scrape();
    clock.advance(Duration.ofMinutes(10));
    limiter.decideNow(Request.of());
    assertThat(allowed(Page.of(metrics), "r0")).isEqualTo(2);
  }

  @Test
  void deletedRulesMakeRoomForNewOnes() {
    metrics.watch(rules::current);
    rules.replace(numbered(0, 10));
    metrics.scrape();
    rules.replace(numbered(10, 20));
    metrics.scrape();
    clock.advance(Duration.ofSeconds(15));
    assertThat(metered(Page.of(metrics))).contains("r10", "r19").doesNotContain("r0", "r9");
  }

  @Test
  void aHundredSetsOfRulesLeaveNoMoreThanTheMost() {
    metrics.watch(rules::current);
    for (int i = 0; i < 100; i++) {
      rules.replace(numbered(i * 7, i * 7 + 7));
      limiter.decideNow(Request.of());
      clock.advance(Duration.ofSeconds(1));
      metrics.scrape();
    }
    assertThat(metered(Page.of(metrics))).hasSizeBetween(7, MOST + 1);
  }

  @Test
  void whatIsNoRuleInForceButStillCountsGoesOnCounting() {
    metrics.watch(rules::current);
    Request own = Request.of("user", "ann").limit(Rate.parse("100/minute"));
    for (int i = 0; i < 5; i++) {
      limiter.decideNow(own);
      metrics.scrape();
      clock.advance(Duration.ofMinutes(10));
    }
    assertThat(allowed(Page.of(metrics), "request-limit")).isEqualTo(5);
    clock.advance(Duration.ofMinutes(15));
    assertThat(metered(Page.of(metrics))).isEmpty();
  }

  @Test
  void aRuleCalledOtherIsNotForgottenWhileOthersShareIt() {
    metrics.watch(rules::current);
    List<Rule> many = new ArrayList<>(numbered(0, 25));
    many.add(0, rule("other"));
    rules.replace(many);
    metrics.scrape();
    limiter.decideNow(Request.of());
    assertThat(allowed(Page.of(metrics), "other")).isEqualTo(17);
    rules.replace(numbered(0, 25));
    metrics.scrape();
    clock.advance(Duration.ofHours(1));
    metrics.scrape();
    limiter.decideNow(Request.of());
    assertThat(allowed(Page.of(metrics), "other")).isGreaterThan(17);
  }

  @Test
  void theDegradedCounterOfAChangedPostureStartsAtZero() {
    metrics.watch(rules::current);
    rules.replace(List.of(rule("api")));
    metrics.scrape();
    rules.replace(List.of(rule("api").edit().onStoreFailure(Posture.CLOSED).build()));
    assertThat(Page.of(metrics).ours())
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

  private static List<String> metered(Page page) {
    return page.ours().stream()
        .filter(name -> name.startsWith("weir_decisions_total"))
        .map(name -> name.replaceFirst(".*rule=\"([^\"]*)\".*", "$1"))
        .distinct()
        .toList();
  }

  private static double allowed(Page page, String rule) {
    return page.value("weir_decisions_total{outcome=\"allowed\",rule=\"" + rule + "\"}");
  }
}
