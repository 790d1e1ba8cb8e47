package io.weir.server.traffic;

import io.weir.rule.RuleSource;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.database.Said;
import io.weir.rules.database.Step;
import io.weir.rules.database.Traffic;
import java.util.Collection;
import java.util.NavigableMap;

/** What rules said, by the minute for a day and by the hour for ninety days. */
public interface History {

  /** The one of a node: in the database its rules live in, or else in its memory. */
  static History of(RuleSource rules) {
    return rules instanceof DatabaseRules database
        ? new InDatabase(database.traffic())
        : new MemoryHistory();
  }

  /**
   * Adds what rules said in the minute of a moment.
   *
   * @param second since the epoch
   */
  void add(long second, Collection<Said> said);

  /**
   * What a rule said, by when each step began.
   *
   * @param rule its id, or {@link Said#REQUESTS}
   */
  NavigableMap<Long, Said> of(String rule, Step step, long from);

  /** Whether it outlives the node, and tells of all nodes. */
  boolean survives();

  /** In a database, added up over all nodes. */
  record InDatabase(Traffic traffic) implements History {
    @Override
    public void add(long second, Collection<Said> said) {
      traffic.add(second, said);
    }

    @Override
    public NavigableMap<Long, Said> of(String rule, Step step, long from) {
      return traffic.of(rule, step, from);
    }

    @Override
    public boolean survives() {
      return true;
    }
  }
}
