package io.weir.rules.database;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules of the database as this node serves them: the last that were all good.
 *
 * <p>Changed by one thread at a time; read by any.
 */
final class RuleCache {
  private static final long NONE = -1;

  private long seen = NONE;
  private volatile Served served = new Served(RuleSet.of(0, List.of()), Map.of());
  private volatile Map<String, String> bad = Map.of();

  /** A snapshot and the rows it was read from. */
  private record Served(RuleSet rules, Map<String, RuleRow> rows) {}

  RuleSet rules() {
    return served.rules();
  }

  /** The revision of one rule, 0 if there is none. */
  long revision(String id) {
    RuleRow row = served.rows().get(id);
    return row == null ? 0 : row.revision();
  }

  /** What is wrong with rows of the database, by the id of the row; empty if they all serve. */
  Map<String, String> bad() {
    return bad;
  }

  /**
   * Takes what the database says now, if all of it is good.
   *
   * @param whole whether to read the rows even if the revision is the one seen last
   */
  void look(Connection connection, boolean whole) throws SQLException {
    long revision = Kind.RULES.revision(connection);
    if (whole || revision != seen || !bad.isEmpty()) {
      take(revision, RuleTable.all(connection));
      seen = revision;
    }
  }

  /** Serves rules of a copy until the database is read. */
  void restore(RuleSet rules) {
    served = new Served(rules, Map.of());
  }

  /** Serves these rows, unless one of them is bad. */
  void take(long revision, List<RuleRow> rows) {
    Map<String, RuleRow> byId = new HashMap<>();
    List<Rule> rules = new ArrayList<>(rows.size());
    Map<String, String> wrong = new LinkedHashMap<>();
    for (RuleRow row : rows) {
      byId.put(row.id(), row);
      try {
        rules.add(rule(row));
      } catch (IllegalArgumentException e) {
        wrong.put(row.id(), String.valueOf(e.getMessage()));
      }
    }
    bad = wrong;
    if (wrong.isEmpty()) {
      boolean same = revision == rules().revision() && rules.equals(rules().rules());
      served = new Served(same ? rules() : RuleSet.of(revision, rules), byId);
    }
  }

  /** The rule in force if the row says the same, so that its limits stay the same objects. */
  private Rule rule(RuleRow row) {
    RuleRow old = served.rows().get(row.id());
    Rule kept = rules().rule(row.id());
    if (old != null && kept != null && old.body().equals(row.body())) {
      return kept;
    }
    Rule rule = Rules.readOne("weir_rule " + row.id(), row.body());
    if (!rule.id().equals(row.id())) {
      throw new IllegalArgumentException(
          "weir_rule %s: id: the rule says '%s'; write that of its row"
              .formatted(row.id(), rule.id()));
    }
    return kept != null && rule.equals(kept) ? kept : rule;
  }
}
