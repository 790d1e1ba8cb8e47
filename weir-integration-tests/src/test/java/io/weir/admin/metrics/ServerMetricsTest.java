package io.weir.admin.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.metrics.DecisionMetrics;
import io.weir.metrics.NodeHealth;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.FileRules;
import io.weir.store.Clock;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreHealth;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
import io.weir.testkit.FakeClock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerMetricsTest {
  private static final Request ANN = Request.of("user", "ann");

  private final FakeClock clock = new FakeClock();
  private final ServerMetrics metrics = new ServerMetrics(clock);

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void allDocumentedMetrics_existFromTheStart() {
    metrics.bindNode(() -> RuleSet.of(rule("api", "5/minute")));
    assertThat(ScrapedMetrics.of(metrics).metricNames())
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
  void decisions_areCountedByRuleAndRequest() {
    Rule shadow = rule("shadow", "1/minute").edit().shadow(true).build();
    Limiter limiter = limiter(rule("wide", "100/minute"), rule("narrow", "3/minute"), shadow);
    for (int i = 0; i < 5; i++) {
      limiter.decideNow(ANN);
    }
    limiter.decideNow(Request.of("host", "no rule matches"));
    limiter.peek(ANN).join();
    ScrapedMetrics page = ScrapedMetrics.of(metrics);
    assertThat(page.value("weir_requests_total{outcome=\"allowed\"}")).isEqualTo(4);
    assertThat(page.value("weir_requests_total{outcome=\"refused\"}")).isEqualTo(2);
    assertThat(decisionCount(page, "wide", "allowed")).isEqualTo(5);
    assertThat(decisionCount(page, "wide", "refused")).isZero();
    assertThat(decisionCount(page, "narrow", "allowed")).isEqualTo(3);
    assertThat(decisionCount(page, "narrow", "refused")).isEqualTo(2);
    assertThat(decisionCount(page, "shadow", "allowed")).isEqualTo(1);
    assertThat(decisionCount(page, "shadow", "refused")).isZero();
    assertThat(decisionCount(page, "shadow", "shadow_refused")).isEqualTo(4);
  }

  @Test
  void latencies_areCountedInBuckets() {
    DecisionMetrics decisions = metrics.decisionMetrics();
    long start = decisions.now();
    clock.advance(Duration.ofMillis(3));
    decisions.recordLatencySince(start);
    metrics.storeListener().onAnswer(StoreOperation.TAKE, 90);
    metrics.storeListener().onAnswer(StoreOperation.REFUND, 2_000_000);
    ScrapedMetrics page = ScrapedMetrics.of(metrics);
    assertThat(page.value("weir_decision_seconds_sum")).isEqualTo(0.003);
    assertThat(page.value("weir_decision_seconds_bucket{le=\"0.0025\"}")).isZero();
    assertThat(page.value("weir_decision_seconds_bucket{le=\"0.005\"}")).isEqualTo(1);
    assertThat(page.value("weir_store_seconds_bucket{operation=\"take\",le=\"1.0E-4\"}"))
        .isEqualTo(1);
    assertThat(page.value("weir_store_seconds_bucket{operation=\"refund\",le=\"1.0\"}")).isZero();
    assertThat(page.value("weir_store_seconds_count{operation=\"refund\"}")).isEqualTo(1);
  }

  @Test
  void storeFailures_areCountedByKind() {
    metrics.storeListener().onFailure(StoreFailureKind.OVERLOAD, "a reason");
    metrics.storeListener().onUnavailable("a reason");
    metrics.storeListener().onCorruptStates(7);
    ScrapedMetrics page = ScrapedMetrics.of(metrics);
    assertThat(page.value("weir_store_errors_total{kind=\"overload\"}")).isEqualTo(1);
    assertThat(page.value("weir_store_errors_total{kind=\"timeout\"}")).isZero();
    assertThat(page.value("weir_store_lost_total")).isEqualTo(1);
    assertThat(page.value("weir_store_corrupt_states_total")).isEqualTo(7);
    assertThat(page.text()).doesNotContain("a reason");
  }

  @Test
  void nodeHealth_isShownAsGauges() {
    metrics.bindNode(
        new NodeHealth() {
          @Override
          public RuleSet rules() {
            return RuleSet.of(41, List.of());
          }

          @Override
          public Duration rulesStaleness() {
            return Duration.ofMillis(1500);
          }

          @Override
          public StoreHealth storeHealth() {
            return new StoreHealth(
                false, "away", Duration.ofMillis(-25), 0, 0, 3, 40, 5, Duration.ofMillis(1500));
          }
        });
    System.gc(); // gauges must hold strong references to what they read
    ScrapedMetrics page = ScrapedMetrics.of(metrics);
    assertThat(page.value("weir_rules_revision")).isEqualTo(41);
    assertThat(page.value("weir_rules_stale_seconds")).isEqualTo(1.5);
    assertThat(page.value("weir_store_available")).isZero();
    assertThat(page.value("weir_clock_drift_seconds")).isEqualTo(-0.025);
    assertThat(page.value("weir_synced_lag_seconds")).isEqualTo(1.5);
  }

  @Test
  void rejectedRules_areCounted(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, "rules: [{id: api, limit: 5/minute}]");
    try (FileRules rules = FileRules.open(file, metrics.rulesListener())) {
      metrics.bindNode(rules::current);
      Files.writeString(file, "rules: [{id: api, limit: plenty}]");
      Await.until(
          Duration.ofSeconds(20),
          "a rejected change",
          () -> ScrapedMetrics.of(metrics).value("weir_rules_rejected_total") == 1);
      Files.writeString(file, "rules: [{id: api, limit: 6/minute}]");
      Await.until(
          Duration.ofSeconds(20),
          "the next revision",
          () -> ScrapedMetrics.of(metrics).value("weir_rules_revision") == 2);
    }
  }

  @Test
  void counting_doesNotAllocate() {
    Decision decision =
        limiter(rule("wide", "100/minute"), rule("narrow", "3/minute")).decideNow(ANN);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    int times = 1_000_000;
    countDecisions(decision, times);
    long before = threads.getCurrentThreadAllocatedBytes();
    long took = countDecisions(decision, times);
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    System.out.printf("a decision of 2 rules is counted in %d ns%n", took / times);
    assertThat(bytes).isLessThan(times);
  }

  private long countDecisions(Decision decision, int times) {
    Clock system = Clock.system();
    long began = system.micros();
    for (int i = 0; i < times; i++) {
      metrics.decisionMetrics().onDecision(ANN, decision);
    }
    return (system.micros() - began) * 1000;
  }

  private Limiter limiter(Rule... rules) {
    return Weir.limiter(RuleSet.of(rules)).clock(clock).listener(metrics.decisionMetrics()).build();
  }

  private static Rule rule(String id, String limit) {
    return Rule.named(id).per("user").limit(limit).build();
  }

  private static double decisionCount(ScrapedMetrics page, String rule, String outcome) {
    return page.value("weir_decisions_total{outcome=\"" + outcome + "\",rule=\"" + rule + "\"}");
  }
}
