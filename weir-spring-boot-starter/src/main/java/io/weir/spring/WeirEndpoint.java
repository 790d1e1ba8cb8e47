package io.weir.spring;

import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.store.Health;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/weir}: the mode, the store and the rules in force. */
@Endpoint(id = "weir")
class WeirEndpoint {
  private final Summary summary;

  WeirEndpoint(Summary summary) {
    this.summary = summary;
  }

  /** What is shown. */
  record View(
      String mode, StoreView store, long revision, long staleMillis, List<RuleView> rules) {}

  /** A store, and how it fares. */
  record StoreView(String name, boolean available, long degradedDecisions) {}

  /** A rule in force. */
  record RuleView(
      String id,
      Map<String, List<String>> match,
      List<String> per,
      List<String> limit,
      String algorithm,
      boolean shadow,
      boolean enabled) {
    static RuleView of(Rule rule) {
      return new RuleView(
          rule.id(),
          rule.match().patterns(),
          rule.per(),
          rule.rates().stream().map(Rate::toString).toList(),
          rule.algorithm().name(),
          rule.shadow(),
          rule.enabled());
    }
  }

  @ReadOperation
  View view() {
    Health health = summary.store().health();
    return new View(
        summary.mode().name().toLowerCase(Locale.ROOT),
        new StoreView(summary.storeText(), health.available(), health.degraded()),
        summary.plan().current().revision(),
        summary.plan().stale().toMillis(),
        summary.plan().current().rules().stream().map(RuleView::of).toList());
  }
}
