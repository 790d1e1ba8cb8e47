package io.weir.admin.metrics;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.weir.internal.background.TaskMonitor;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The Grafana dashboard and the Prometheus alerts are valid and use only existing metrics. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MonitoringFilesTest {
  private static final Path DASHBOARD = Path.of("..", "deploy", "grafana", "weir.json");
  private static final Path ALERTS = Path.of("..", "deploy", "prometheus", "alerts.yaml");

  private static final Pattern METRIC_NAME = Pattern.compile("\\b(?:weir|jvm|process)_[a-z_]+");
  private static final Pattern SELECTOR = Pattern.compile("\\b([a-z_]+)\\{([^}]*)}");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)(=~|=)\"([^\"]*)\"");
  private static final Pattern GROUPING = Pattern.compile("by \\(([^)]*)\\)");
  private static final Set<String> EXPRESSIONS = Set.of("expr", "definition");
  private static final Set<String> PROMETHEUS_LABELS = Set.of("instance");

  private final Clock clock = Clock.system();
  private final ServerMetrics metrics = new ServerMetrics(clock);
  private final TaskMonitor task = TaskMonitor.onDemand("test", Duration.ofHours(1), clock::micros);

  @BeforeAll
  void start() {
    RuleSet rules =
        RuleSet.of(
            Rule.named("api").limit("5/minute").onStoreFailure(StoreFailureFallback.OPEN).build());
    metrics.bindNode(() -> rules);
  }

  @AfterAll
  void close() {
    task.close();
    metrics.close();
  }

  @Test
  void grafanaDashboard_usesExistingMetrics() throws IOException {
    List<String> expressions = new ArrayList<>();
    try (JsonParser json = new JsonFactory().createParser(DASHBOARD.toFile())) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        boolean text = token == JsonToken.VALUE_STRING;
        if (text && EXPRESSIONS.contains(String.valueOf(json.currentName()))) {
          expressions.add(json.getText());
        }
      }
    }
    assertThat(expressions).hasSizeGreaterThan(20).allSatisfy(this::assertUsesExistingMetrics);
    assertThat(String.join(" ", expressions))
        .contains(
            "weir_decisions_total",
            "weir_decision_seconds_bucket",
            "weir_store_seconds_bucket",
            "weir_degraded_decisions_total",
            "weir_clock_drift_seconds",
            "weir_rules_stale_seconds",
            "weir_rules_revision");
  }

  @Test
  void grafanaPanels_doNotOverlap() throws IOException {
    List<String> positions = new ArrayList<>();
    for (Object panel : (List<?>) required(yaml(DASHBOARD), "panels")) {
      positions.add(String.valueOf(((Map<?, ?>) panel).get("gridPos")));
      assertThat(((Map<?, ?>) panel).get("title")).isInstanceOf(String.class);
    }
    assertThat(positions).doesNotHaveDuplicates();
  }

  @Test
  void alerts_useExistingMetricsAndHaveDescriptions() throws IOException {
    List<String> alerts = new ArrayList<>();
    for (Object group : (List<?>) required(yaml(ALERTS), "groups")) {
      for (Object each : (List<?>) required(group, "rules")) {
        assertUsesExistingMetrics((String) required(each, "expr"));
        if (((Map<?, ?>) each).containsKey("alert")) {
          alerts.add((String) required(each, "alert"));
          assertThat(required(required(each, "labels"), "severity")).isIn("warning", "critical");
          assertThat(required(required(each, "annotations"), "summary")).asString().isNotBlank();
          assertThat(required(required(each, "annotations"), "description"))
              .asString()
              .isNotBlank();
        }
      }
    }
    assertThat(alerts)
        .doesNotHaveDuplicates()
        .contains(
            "WeirDegraded",
            "WeirRefusalSpike",
            "WeirClockDrift",
            "WeirRulesStale",
            "WeirStoreLost");
  }

  private void assertUsesExistingMetrics(String expression) {
    ScrapedMetrics page = ScrapedMetrics.of(metrics);
    assertThat(found(METRIC_NAME, expression)).as(expression).isNotEmpty();
    assertThat(page.metricNames()).containsAll(found(METRIC_NAME, expression));
    SELECTOR
        .matcher(expression)
        .results()
        .forEach(
            selector ->
                LABEL
                    .matcher(selector.group(2))
                    .results()
                    .forEach(label -> assertHasLabel(page, selector.group(1), label)));
    for (MatchResult by : GROUPING.matcher(expression).results().toList()) {
      for (String label : by.group(1).split(", *", -1)) {
        assertThat(PROMETHEUS_LABELS.contains(label) || page.text().contains(label + "=\""))
            .as("a label %s, for %s", label, expression)
            .isTrue();
      }
    }
  }

  private static void assertHasLabel(ScrapedMetrics page, String name, MatchResult label) {
    if (!PROMETHEUS_LABELS.contains(label.group(1))) {
      boolean exact = label.group(2).equals("=");
      String wanted = label.group(1) + "=\"" + (exact ? label.group(3) + "\"" : "");
      assertThat(page.series())
          .as("%s with %s", name, wanted)
          .anyMatch(series -> series.startsWith(name + "{") && series.contains(wanted));
    }
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(MatchResult::group).toList();
  }

  private static Map<?, ?> yaml(Path file) throws IOException {
    LoadSettings strict = LoadSettings.builder().setAllowDuplicateKeys(false).build();
    return (Map<?, ?>) new Load(strict).loadFromString(Files.readString(file));
  }

  private static Object required(Object map, String key) {
    Object value = ((Map<?, ?>) map).get(key);
    assertThat(value).as(key).isNotNull();
    return requireNonNull(value);
  }
}
