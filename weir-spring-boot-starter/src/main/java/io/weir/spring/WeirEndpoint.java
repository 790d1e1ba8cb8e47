package io.weir.spring;

import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.store.StoreHealth;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The endpoint {@code /actuator/weir}: mode, store and active rules. */
@Endpoint(id = "weir")
class WeirEndpoint {
  private final WeirStatus status;

  WeirEndpoint(WeirStatus status) {
    this.status = status;
  }

  /** The response of the endpoint; component names are JSON field names. */
  record StatusResponse(
      String mode, StoreStatus store, long revision, long staleMillis, List<RuleStatus> rules) {}

  /** The store and its health. */
  record StoreStatus(String name, boolean available, long degradedDecisions) {}

  /** An active rule. */
  record RuleStatus(
      String id,
      Map<String, List<String>> match,
      List<String> per,
      List<String> limit,
      List<OverrideStatus> overrides,
      String algorithm,
      boolean shadow,
      boolean enabled) {
    static RuleStatus of(Rule rule) {
      return new RuleStatus(
          rule.id(),
          rule.match().patterns(),
          rule.per(),
          rates(rule.rates()),
          rule.overrides().stream()
              .map(o -> new OverrideStatus(o.when().patterns(), rates(o.rates())))
              .toList(),
          rule.algorithm(),
          rule.shadow(),
          rule.enabled());
    }
  }

  /** The limit of a rule for some callers. */
  record OverrideStatus(Map<String, List<String>> when, List<String> limit) {}

  private static List<String> rates(List<Rate> rates) {
    return rates.stream().map(Rate::toString).toList();
  }

  @ReadOperation
  StatusResponse view() {
    StoreHealth health = status.store().health();
    return new StatusResponse(
        status.mode().name().toLowerCase(Locale.ROOT),
        new StoreStatus(status.storeDescription(), health.available(), health.degradedDecisions()),
        status.ruleSource().current().revision(),
        status.ruleSource().staleness().toMillis(),
        status.ruleSource().current().rules().stream().map(RuleStatus::of).toList());
  }
}
