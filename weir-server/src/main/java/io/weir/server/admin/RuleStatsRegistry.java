package io.weir.server.admin;

import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.database.RuleCounts;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What every rule said so far, and whom so many of them refused at most; all of rules alone, and so
 * bounded whatever callers send. Safe for any number of threads.
 */
final class RuleStatsRegistry {
  private static final int MAX_TRACKED_RULES = 1000;

  private final Map<String, RuleStats> byRule = new ConcurrentHashMap<>();
  private int trackedRules;

  RuleStats forRule(Rule rule) {
    RuleStats tally = byRule.get(rule.id());
    return tally != null ? tally : byRule.computeIfAbsent(rule.id(), id -> new RuleStats());
  }

  void recordRefusal(RuleStats tally, long now, long key, Rule rule, Request request) {
    TopRefusedCallers callers = tally.refusedCallers;
    if (callers == null) {
      callers = trackCallers(tally);
    }
    if (callers != null) {
      callers.record(now, key, rule.per(), request);
    }
  }

  private synchronized @Nullable TopRefusedCallers trackCallers(RuleStats tally) {
    if (tally.refusedCallers == null && trackedRules < MAX_TRACKED_RULES) {
      trackedRules++;
      tally.refusedCallers = new TopRefusedCallers();
    }
    return tally.refusedCallers;
  }

  /** Forgets rules that are no more. */
  synchronized void retainOnly(RuleSet rules) {
    byRule.keySet().removeIf(id -> rules.rule(id) == null);
    trackedRules =
        (int) byRule.values().stream().filter(tally -> tally.refusedCallers != null).count();
  }

  /** As {@link #all}, in numbers and in no order. */
  Map<String, RuleCounts> counts() {
    Map<String, RuleCounts> said = new HashMap<>(2 * byRule.size());
    byRule.forEach(
        (id, tally) ->
            said.put(
                id,
                new RuleCounts(
                    id, tally.allowed.sum(), tally.refused.sum(), tally.shadowRefused.sum())));
    return said;
  }

  /** What every rule said that said anything, by its id. */
  Map<String, RuleStats> all() {
    return new TreeMap<>(byRule);
  }
}
