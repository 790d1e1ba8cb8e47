package io.weir.server.traffic;

import io.weir.rule.RuleSource;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.database.RuleCounts;
import io.weir.rules.database.TrafficResolution;
import io.weir.rules.database.TrafficTable;
import java.util.Collection;
import java.util.NavigableMap;

/** What rules said, by the minute for a day and by the hour for ninety days. */
public interface TrafficHistoryStore {

  /** The one of a node: in the database its rules live in, or else in its memory. */
  static TrafficHistoryStore of(RuleSource rules) {
    return rules instanceof DatabaseRules database
        ? new DatabaseTrafficHistory(database.traffic())
        : new MemoryTrafficHistory();
  }

  /**
   * Adds what rules said in the minute of a moment.
   *
   * @param second since the epoch
   */
  void add(long second, Collection<RuleCounts> said);

  /**
   * What a rule said, by when each step began.
   *
   * @param rule its id, or {@link RuleCounts#WHOLE_REQUESTS}
   */
  NavigableMap<Long, RuleCounts> of(String rule, TrafficResolution step, long from);

  /** Whether it outlives the node, and tells of all nodes. */
  boolean isPersistent();

  /** In a database, added up over all nodes. */
  record DatabaseTrafficHistory(TrafficTable traffic) implements TrafficHistoryStore {
    @Override
    public void add(long second, Collection<RuleCounts> said) {
      traffic.add(second, said);
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
