package io.weir.spring;

import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Store;
import io.weir.store.StoreHealth;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The rate limiting of an application: mode, store and rules, for the log, the endpoint and health.
 *
 * @param storeAddress the address of the store; empty for the memory of this process
 */
record WeirStatus(
    WeirMode mode,
    Optional<String> storeAddress,
    Store store,
    ConfiguredRules configuredRules,
    MergedRuleSource ruleSource) {
  private static final int MAX_RULES_SHOWN = 50;

  /** Returns the address of the store and its state. */
  String storeDescription() {
    StoreHealth health = store.health();
    return storeAddress
        .map(StoreFactory::maskPassword)
        .map(
            url ->
                url
                    + ": "
                    + (health.available() ? health.state() : "unavailable, decisions use fallback"))
        .orElse("memory (counters of this process only)");
  }

  /** Returns the multi-line status that is logged at startup. */
  String describe() {
    RuleSet active = ruleSource.current();
    StringBuilder out =
        new StringBuilder("Weir ")
            .append(
                switch (mode) {
                  case ENFORCE -> "enforces rate limits";
                  case SHADOW -> "counts requests but refuses none (weir.mode: shadow)";
                  case OFF -> "is off (weir.mode: off)";
                })
            .append("\n  store  ")
            .append(storeDescription())
            .append("\n  rules  ")
            .append(active.rules().isEmpty() ? "none, nothing is limited" : active.rules().size());
    if (configuredRules.reloadable()) {
      out.append(", reloaded from ").append(configuredRules.name());
    }
    List<Rule> rules = active.rules();
    rules.stream()
        .limit(MAX_RULES_SHOWN)
        .forEach(rule -> out.append("\n    ").append(describeRule(rule)));
    if (rules.size() > MAX_RULES_SHOWN) {
      out.append("\n    … and ").append(rules.size() - MAX_RULES_SHOWN).append(" more");
    }
    return out.toString();
  }

  private static String describePer(Rule rule) {
    return rule.per().stream()
        .map(AttributeNames::withoutOrIpSuffix)
        .collect(Collectors.joining(", "));
  }

  private static String describeRates(List<Rate> rates) {
    return rates.stream().map(Object::toString).collect(Collectors.joining(", "));
  }

  private static String describeRule(Rule rule) {
    return rule.id()
        + ": "
        + describeRates(rule.rates())
        + (rule.per().isEmpty() ? " shared by all callers" : " per " + describePer(rule))
        + (rule.match().patterns().isEmpty() ? "" : " where " + rule.match())
        + rule.overrides().stream()
            .map(o -> "; " + describeRates(o.rates()) + " where " + o.when())
            .collect(Collectors.joining())
        + (rule.enabled() ? "" : ", disabled")
        + (rule.shadow() ? ", shadow" : "");
  }
}
