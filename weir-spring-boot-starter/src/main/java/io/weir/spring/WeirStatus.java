package io.weir.spring;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Store;
import io.weir.store.StoreHealth;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How an application is limited: in which mode, by which store, by which rules.
 *
 * @param storeAddress of the store; empty for this process's memory
 */
record WeirStatus(
    WeirMode mode,
    Optional<String> storeAddress,
    Store store,
    ConfiguredRules configuredRules,
    MergedRuleSource ruleSource) {
  private static final int MAX_RULES_SHOWN = 50;

  /** Which store, and how it fares. */
  String storeDescription() {
    StoreHealth health = store.health();
    return storeAddress
        .map(StoreFactory::maskPassword)
        .map(url -> url + ": " + (health.available() ? health.state() : "AWAY, postures answer"))
        .orElse("memory: counters of this process alone");
  }

  /** All of it, as the log shows it at the start. */
  String describe() {
    RuleSet now = ruleSource.current();
    StringBuilder out =
        new StringBuilder("Weir ")
            .append(
                switch (mode) {
                  case ENFORCE -> "limits this application";
                  case SHADOW -> "judges and refuses nothing (weir.mode: shadow)";
                  case OFF -> "is off (weir.mode: off)";
                })
            .append("\n  store  ")
            .append(storeDescription())
            .append("\n  rules  ")
            .append(now.rules().isEmpty() ? "none: nothing is limited" : now.rules().size());
    if (configuredRules.reloadable()) {
      out.append(", followed from ").append(configuredRules.name());
    }
    List<Rule> rules = now.rules();
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

  private static String describeRule(Rule rule) {
    return rule.id()
        + ": "
        + rule.rates().stream().map(Object::toString).collect(Collectors.joining(", "))
        + (rule.per().isEmpty() ? " for all together" : " per " + describePer(rule))
        + (rule.match().patterns().isEmpty() ? "" : " where " + rule.match())
        + (rule.enabled() ? "" : ", not enabled")
        + (rule.shadow() ? ", shadow" : "");
  }
}
