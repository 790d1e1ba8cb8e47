package io.weir.admin.traffic;

import io.weir.rules.database.RuleCounts;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/** Limits counts by rule to the busiest rules; all other rules are summed under an empty id. */
final class TopRules {
  static final int MAX_RULES = 200;

  private TopRules() {}

  /** Returns the counts of the busiest rules, and the sum of all others under an empty id. */
  static Map<String, RuleCounts> of(Collection<RuleCounts> all) {
    Map<String, RuleCounts> byRule = new HashMap<>();
    if (all.size() <= MAX_RULES) {
      all.forEach(counts -> add(byRule, counts));
    } else {
      all.stream()
          .sorted(Comparator.comparingLong(RuleCounts::total).reversed())
          .forEach(counts -> add(byRule, counts));
    }
    return byRule;
  }

  /** Adds the counts of a rule, or adds them to the empty id if there are too many rules. */
  static void add(Map<String, RuleCounts> byRule, RuleCounts counts) {
    boolean separate =
        byRule.size() < MAX_RULES
            || byRule.containsKey(counts.rule())
            || counts.rule().equals(RuleCounts.WHOLE_REQUESTS);
    byRule.merge(
        separate ? counts.rule() : "",
        withId(separate ? counts.rule() : "", counts),
        RuleCounts::plus);
  }

  private static RuleCounts withId(String id, RuleCounts counts) {
    return RuleCounts.zero(id).plus(counts);
  }
}
