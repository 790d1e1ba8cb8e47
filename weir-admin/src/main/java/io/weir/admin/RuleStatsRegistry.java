package io.weir.admin;

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
 * Statistics of all rules. The callers refused most are tracked for a limited number of rules.
 * Entries exist per rule only, so memory is bounded whatever callers send. Thread-safe.
 */
final class RuleStatsRegistry {
  private static final int MAX_TRACKED_RULES = 1000;

  private final Map<String, RuleStats> byRule = new ConcurrentHashMap<>();
  private int trackedRules;

  RuleStats forRule(Rule rule) {
    RuleStats stats = byRule.get(rule.id());
    return stats != null ? stats : byRule.computeIfAbsent(rule.id(), id -> new RuleStats());
  }

  void recordRefusal(RuleStats stats, long now, long key, Rule rule, Request request) {
    TopRefusedCallers callers = stats.refusedCallers;
    if (callers == null) {
      callers = trackCallers(stats);
    }
    if (callers != null) {
      callers.record(now, key, rule.per(), request);
    }
  }

  private synchronized @Nullable TopRefusedCallers trackCallers(RuleStats stats) {
    if (stats.refusedCallers == null && trackedRules < MAX_TRACKED_RULES) {
      trackedRules++;
      stats.refusedCallers = new TopRefusedCallers();
    }
    return stats.refusedCallers;
  }

  /** Removes the statistics of deleted rules. */
  synchronized void retainOnly(RuleSet rules) {
    byRule.keySet().removeIf(id -> rules.rule(id) == null);
    trackedRules =
        (int) byRule.values().stream().filter(stats -> stats.refusedCallers != null).count();
  }

  /** Returns the counts of all rules that decided at least once, unordered. */
  Map<String, RuleCounts> counts() {
    Map<String, RuleCounts> counts = new HashMap<>(2 * byRule.size());
    byRule.forEach(
        (id, stats) ->
            counts.put(
                id,
                new RuleCounts(
                    id, stats.allowed.sum(), stats.refused.sum(), stats.shadowRefused.sum())));
    return counts;
  }

  /** Returns the statistics of all rules that decided at least once, ordered by rule id. */
  Map<String, RuleStats> all() {
    return new TreeMap<>(byRule);
  }
}
