package io.weir.server.traffic;

import io.weir.rules.database.RuleCounts;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/** Keeps so many rules apart, however many there are; the others stand together. */
final class TopRules {
  static final int MAX_RULES = 200;

  private TopRules() {}

  /** The rules that said most, and all others under an empty id. */
  static Map<String, RuleCounts> of(Collection<RuleCounts> all) {
    Map<String, RuleCounts> apart = new HashMap<>();
    if (all.size() <= MAX_RULES) {
      all.forEach(said -> add(apart, said));
    } else {
      all.stream()
          .sorted(Comparator.comparingLong(RuleCounts::total).reversed())
          .forEach(said -> add(apart, said));
    }
    return apart;
  }

  /** Adds to what a rule said, or to what the others did if there is no room for one more. */
  static void add(Map<String, RuleCounts> apart, RuleCounts said) {
    boolean known =
        apart.size() < MAX_RULES
            || apart.containsKey(said.rule())
            || said.rule().equals(RuleCounts.WHOLE_REQUESTS);
    apart.merge(known ? said.rule() : "", withId(known ? said.rule() : "", said), RuleCounts::plus);
  }

  private static RuleCounts withId(String id, RuleCounts said) {
    return RuleCounts.zero(id).plus(said);
  }
}
