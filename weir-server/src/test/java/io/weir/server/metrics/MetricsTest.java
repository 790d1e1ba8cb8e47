package io.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.metrics.DecisionMetrics;
import io.weir.metrics.Vitals;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.FileRules;
import io.weir.store.Clock;
import io.weir.store.Health;
import io.weir.store.Mode;
import io.weir.store.StoreException.Kind;
import io.weir.testkit.FakeClock;
import io.weir.testkit.Soon;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTest {
  private static final Request ANN = Request.of("user", "ann");

  private final FakeClock clock = new FakeClock();
  private final Metrics metrics = new Metrics(clock);

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void everyNameOfTheContractIsThereFromTheStart() {
    metrics.watch(() -> RuleSet.of(rule("api", "5/minute")));
    assertThat(Page.of(metrics).names())
        .contains(
            "weir_decisions_total",
            "weir_decision_seconds_bucket",
            "weir_decision_seconds_count",
            "weir_decision_seconds_sum",
            "weir_store_seconds_bucket",
            "weir_store_errors_total",
            "weir_degraded_decisions_total",
            "weir_clock_drift_seconds",
            "weir_rules_revision",
            "weir_rules_stale_seconds",
            "weir_rules_rejected_total",
            "weir_requests_total",
            "weir_store_available",
            "weir_store_lost_total",
            "weir_store_corrupt_states_total",
            "jvm_memory_used_bytes",
            "process_cpu_usage");
  }

  @Test
  void countsWhatEachRuleSaidAndWhatBecameOfTheRequest() {
    Rule shadow = rule("shadow", "1/minute").edit().shadow(true).build();
    Limiter limiter = limiter(rule("wide", "100/minute"), rule("narrow", "3/minute"), shadow);
    for (int i = 0; i < 5; i++) {
      limiter.decideNow(ANN);
    }
    limiter.decideNow(Request.of("ip", "met by no rule"));
    limiter.peek(ANN).join();
    Page page = Page.of(metrics);
    assertThat(page.value("weir_requests_total{outcome=\"allowed\"}")).isEqualTo(4);
    assertThat(page.value("weir_requests_total{outcome=\"refused\"}")).isEqualTo(2);
    assertThat(decisions(page, "wide", "allowed")).isEqualTo(5);
    assertThat(decisions(page, "wide", "refused")).isZero();
    assertThat(decisions(page, "narrow", "allowed")).isEqualTo(3);
    assertThat(decisions(page, "narrow", "refused")).isEqualTo(2);
    assertThat(decisions(page, "shadow", "allowed")).isEqualTo(1);
    assertThat(decisions(page, "shadow", "refused")).isZero();
    assertThat(decisions(page, "shadow", "shadow_refused")).isEqualTo(4);
  }

  @Test
  void latenciesFallIntoBuckets() {
    DecisionMetrics decisions = metrics.decisions();
    long came = decisions.now();
    clock.advance(Duration.ofMillis(3));
    decisions.tookSince(came);
    metrics.store().answered(Mode.TAKE, 90);
    metrics.store().answered(Mode.REFUND, 2_000_000);
    Page page = Page.of(metrics);
    assertThat(page.value("weir_decision_seconds_sum")).isEqualTo(0.003);
    assertThat(page.value("weir_decision_seconds_bucket{le=\"0.0025\"}")).isZero();
    assertThat(page.value("weir_decision_seconds_bucket{le=\"0.005\"}")).isEqualTo(1);
    assertThat(page.value("weir_store_seconds_bucket{operation=\"take\",le=\"1.0E-4\"}"))
        .isEqualTo(1);
    assertThat(page.value("weir_store_seconds_bucket{operation=\"refund\",le=\"1.0\"}")).isZero();
    assertThat(page.value("weir_store_seconds_count{operation=\"refund\"}")).isEqualTo(1);
  }

  @Test
  void countsHowAStoreFails() {
    metrics.store().failed(Kind.OVERLOAD, "a reason");
    metrics.store().lost("a reason");
    metrics.store().corrupt(7);
    Page page = Page.of(metrics);
    assertThat(page.value("weir_store_errors_total{kind=\"overload\"}")).isEqualTo(1);
    assertThat(page.value("weir_store_errors_total{kind=\"timeout\"}")).isZero();
    assertThat(page.value("weir_store_lost_total")).isEqualTo(1);
    assertThat(page.value("weir_store_corrupt_states_total")).isEqualTo(7);
    assertThat(page.text()).doesNotContain("a reason");
  }

  @Test
  void showsHowTheNodeFares() {
    metrics.watch(
        new Vitals() {
          @Override
          public RuleSet rules() {
            return RuleSet.of(41, List.of());
          }

          @Override
          public Duration stale() {
            return Duration.ofMillis(1500);
          }

          @Override
          public Health store() {
            return new Health(
                false, "away", Duration.ofMillis(-25), 0, 0, 3, 40, 5, Duration.ofMillis(1500));
          }
        });
    System.gc(); // gauges must not depend on others to keep what they read
    Page page = Page.of(metrics);
    assertThat(page.value("weir_rules_revision")).isEqualTo(41);
    assertThat(page.value("weir_rules_stale_seconds")).isEqualTo(1.5);
    assertThat(page.value("weir_store_available")).isZero();
    assertThat(page.value("weir_clock_drift_seconds")).isEqualTo(-0.025);
    assertThat(page.value("weir_synced_lag_seconds")).isEqualTo(1.5);
  }

  @Test
  void countsRulesThatAreRefused(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, "rules: [{id: api, limit: 5/minute}]");
    try (FileRules rules = FileRules.open(file, metrics.rules())) {
      metrics.watch(rules::current);
      Files.writeString(file, "rules: [{id: api, limit: plenty}]");
      Soon.until(
          Duration.ofSeconds(20),
          "a refused change",
          () -> Page.of(metrics).value("weir_rules_rejected_total") == 1);
      Files.writeString(file, "rules: [{id: api, limit: 6/minute}]");
      Soon.until(
          Duration.ofSeconds(20),
          "the next revision",
          () -> Page.of(metrics).value("weir_rules_revision") == 2);
    }
  }

  @Test
  void countingAllocatesNothing() {
    Decision decision =
        limiter(rule("wide", "100/minute"), rule("narrow", "3/minute")).decideNow(ANN);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    int times = 1_000_000;
    count(decision, times);
    long before = threads.getCurrentThreadAllocatedBytes();
    long took = count(decision, times);
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    System.out.printf("a decision of 2 rules is counted in %d ns%n", took / times);
    assertThat(bytes).isLessThan(times);
  }

  private long count(Decision decision, int times) {
    Clock system = Clock.system();
    long began = system.micros();
    for (int i = 0; i < times; i++) {
      metrics.decisions().decided(ANN, decision);
    }
    return (system.micros() - began) * 1000;
  }

  private Limiter limiter(Rule... rules) {
    return Weir.limiter(RuleSet.of(rules)).clock(clock).listener(metrics.decisions()).build();
  }

  private static Rule rule(String id, String limit) {
    return Rule.named(id).per("user").limit(limit).build();
  }

  private static double decisions(Page page, String rule, String outcome) {
    return page.value("weir_decisions_total{outcome=\"" + outcome + "\",rule=\"" + rule + "\"}");
  }
}
