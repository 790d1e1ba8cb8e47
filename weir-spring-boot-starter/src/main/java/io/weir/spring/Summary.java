package io.weir.spring;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Health;
import io.weir.store.Store;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How an application is limited: in which mode, by which store, by which rules.
 *
 * @param address of the store; empty for this process's memory
 */
record Summary(
    WeirMode mode, Optional<String> address, Store store, OpenRules written, LivePlan plan) {
  private static final int MOST_SHOWN = 50;

  /** Which store, and how it fares. */
  String storeText() {
    Health health = store.health();
    return address
        .map(OpenStore::shown)
        .map(url -> url + ": " + (health.available() ? health.state() : "AWAY, postures answer"))
        .orElse("memory: counters of this process alone");
  }

  /** All of it, as the log shows it at the start. */
  String text() {
    RuleSet now = plan.current();
    StringBuilder out =
        new StringBuilder("Weir ")
            .append(
                switch (mode) {
                  case ENFORCE -> "limits this application";
                  case SHADOW -> "judges and refuses nothing (weir.mode: shadow)";
                  case OFF -> "is off (weir.mode: off)";
                })
            .append("\n  store  ")
            .append(storeText())
            .append("\n  rules  ")
            .append(now.rules().isEmpty() ? "none: nothing is limited" : now.rules().size());
    if (written.followed()) {
      out.append(", followed from ").append(written.name());
    }
    List<Rule> rules = now.rules();
    rules.stream().limit(MOST_SHOWN).forEach(rule -> out.append("\n    ").append(line(rule)));
    if (rules.size() > MOST_SHOWN) {
      out.append("\n    … and ").append(rules.size() - MOST_SHOWN).append(" more");
    }
    return out.toString();
  }

  private static String per(Rule rule) {
    return rule.per().stream().map(Attribute::withoutOrIp).collect(Collectors.joining(", "));
  }

  private static String line(Rule rule) {
    return rule.id()
        + ": "
        + rule.rates().stream().map(Object::toString).collect(Collectors.joining(", "))
        + (rule.per().isEmpty() ? " for all together" : " per " + per(rule))
        + (rule.match().patterns().isEmpty() ? "" : " where " + rule.match())
        + (rule.enabled() ? "" : ", not enabled")
        + (rule.shadow() ? ", shadow" : "");
  }
}
