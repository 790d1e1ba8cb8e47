package io.weir.admin.traffic;

import io.weir.rule.RuleSource;
import io.weir.rules.database.EditableRules;
import io.weir.rules.database.RuleCounts;
import io.weir.rules.database.TrafficResolution;
import io.weir.rules.database.TrafficTable;
import java.util.Collection;
import java.util.NavigableMap;

/** Decision counts of rules, by minute for a day and by hour for 90 days. */
public interface TrafficHistoryStore {

  /** Creates the history of a node: in its rule database if it has one, else in memory. */
  static TrafficHistoryStore of(RuleSource rules) {
    return EditableRules.of(rules)
        .<TrafficHistoryStore>map(database -> new DatabaseTrafficHistory(database.traffic()))
        .orElseGet(MemoryTrafficHistory::new);
  }

  /**
   * Adds counts to the minute that contains a second.
   *
   * @param second seconds since the epoch
   */
  void add(long second, Collection<RuleCounts> counts);

  /**
   * Returns the counts of a rule by the start of each step, in seconds since the epoch.
   *
   * @param rule the rule id, or {@link RuleCounts#WHOLE_REQUESTS}
   */
  NavigableMap<Long, RuleCounts> of(String rule, TrafficResolution step, long from);

  /** Returns whether the history survives a restart and covers all nodes. */
  boolean isPersistent();

  /** A history in the rule database, summed over all nodes. */
  record DatabaseTrafficHistory(TrafficTable traffic) implements TrafficHistoryStore {
    @Override
    public void add(long second, Collection<RuleCounts> counts) {
      traffic.add(second, counts);
    }

    @Override
    public NavigableMap<Long, RuleCounts> of(String rule, TrafficResolution step, long from) {
      return traffic.countsOf(rule, step, from);
    }

    @Override
    public boolean isPersistent() {
      return true;
    }
  }
}
