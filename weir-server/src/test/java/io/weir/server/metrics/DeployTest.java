package io.weir.server.metrics;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.weir.background.TaskMonitor;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
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

/** The dashboard and the alerts can be read, and ask for nothing that a node does not show. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeployTest {
  private static final Path DASHBOARD = Path.of("..", "deploy", "grafana", "weir.json");
  private static final Path ALERTS = Path.of("..", "deploy", "prometheus", "alerts.yaml");

  private static final Pattern NAME = Pattern.compile("\\b(?:weir|jvm|process)_[a-z_]+");
  private static final Pattern SELECTOR = Pattern.compile("\\b([a-z_]+)\\{([^}]*)}");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)(=~|=)\"([^\"]*)\"");
  private static final Pattern BY = Pattern.compile("by \\(([^)]*)\\)");
  private static final Set<String> EXPRESSIONS = Set.of("expr", "definition");
  private static final Set<String> PROMETHEUS_ADDS = Set.of("instance");

  private final Clock clock = Clock.system();
  private final Metrics metrics = new Metrics(clock);
  private final TaskMonitor task = TaskMonitor.onDemand("test", Duration.ofHours(1), clock::micros);

  @BeforeAll
  void start() {
    RuleSet rules =
        RuleSet.of(Rule.named("api").limit("5/minute").onStoreFailure(Posture.OPEN).build());
    metrics.watch(() -> rules);
  }

  @AfterAll
  void close() {
    task.close();
    metrics.close();
  }

  @Test
  void theDashboardAsksForWhatThereIs() throws IOException {
    List<String> expressions = new ArrayList<>();
    try (JsonParser json = new JsonFactory().createParser(DASHBOARD.toFile())) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        boolean text = token == JsonToken.VALUE_STRING;
        if (text && EXPRESSIONS.contains(String.valueOf(json.currentName()))) {
          expressions.add(json.getText());
        }
      }
    }
    assertThat(expressions).hasSizeGreaterThan(20).allSatisfy(this::asksForWhatThereIs);
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
  void everyPanelHasItsPlace() throws IOException {
    List<String> places = new ArrayList<>();
    for (Object panel : (List<?>) present(yaml(DASHBOARD), "panels")) {
      places.add(String.valueOf(((Map<?, ?>) panel).get("gridPos")));
      assertThat(((Map<?, ?>) panel).get("title")).isInstanceOf(String.class);
    }
    assertThat(places).doesNotHaveDuplicates();
  }

  @Test
  void theAlertsAskForWhatThereIsAndSayWhatToDo() throws IOException {
    List<String> alerts = new ArrayList<>();
    for (Object group : (List<?>) present(yaml(ALERTS), "groups")) {
      for (Object each : (List<?>) present(group, "rules")) {
        asksForWhatThereIs((String) present(each, "expr"));
        if (((Map<?, ?>) each).containsKey("alert")) {
          alerts.add((String) present(each, "alert"));
          assertThat(present(present(each, "labels"), "severity")).isIn("warning", "critical");
          assertThat(present(present(each, "annotations"), "summary")).asString().isNotBlank();
          assertThat(present(present(each, "annotations"), "description")).asString().isNotBlank();
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

  private void asksForWhatThereIs(String expression) {
    Page page = Page.of(metrics);
    assertThat(found(NAME, expression)).as(expression).isNotEmpty();
    assertThat(page.names()).containsAll(found(NAME, expression));
    SELECTOR
        .matcher(expression)
        .results()
        .forEach(
            selector ->
                LABEL
                    .matcher(selector.group(2))
                    .results()
                    .forEach(label -> hasLabel(page, selector.group(1), label)));
    for (MatchResult by : BY.matcher(expression).results().toList()) {
      for (String label : by.group(1).split(", *", -1)) {
        assertThat(PROMETHEUS_ADDS.contains(label) || page.text().contains(label + "=\""))
            .as("a label %s, for %s", label, expression)
            .isTrue();
      }
    }
  }

  private static void hasLabel(Page page, String name, MatchResult label) {
    if (!PROMETHEUS_ADDS.contains(label.group(1))) {
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

  private static Object present(Object map, String key) {
    Object value = ((Map<?, ?>) map).get(key);
    assertThat(value).as(key).isNotNull();
    return requireNonNull(value);
  }
}
