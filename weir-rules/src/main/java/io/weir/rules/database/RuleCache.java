package io.weir.rules.database;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The rules of the database as this node serves them: of each row the last version that was good.
 *
 * <p>Changed by one thread at a time; read by any.
 */
final class RuleCache {
  private static final long NONE = -1;
  private static final Comparator<RuleRow> ORDER =
      Comparator.comparingLong(RuleRow::position).thenComparing(RuleRow::id);

  private final LastGood lastGood;
  private final Map<String, RuleRow> rows = new ConcurrentHashMap<>();
  private final Map<String, Rule> good = new HashMap<>();
  private final Map<String, String> wrong = new TreeMap<>();
  private long seen = NONE;
  private volatile RuleSet rules = RuleSet.of(0, List.of());
  private volatile Map<String, String> refused = Map.of();

  RuleCache(LastGood lastGood) {
    this.lastGood = lastGood;
  }

  RuleSet rules() {
    return rules;
  }

  /** The revision of one row, good or bad, and never newer than the rule that serves; 0: none. */
  long revision(String id) {
    RuleRow row = rows.get(id);
    return row == null ? 0 : row.revision();
  }

  /** What is wrong with rows of the database, by the id of the row; empty if they all serve. */
  Map<String, String> refused() {
    return refused;
  }

  /**
   * Takes what the database says now, except for rows that are bad.
   *
   * @param whole whether to read the rows even if the revision is the one seen last
   */
  void look(Connection connection, boolean whole) throws SQLException {
    long revision = Kind.RULES.revision(connection);
    if (whole || revision != seen) {
      take(connection, revision, RuleTable.all(connection));
      seen = revision;
    }
  }

  /** Serves rules of a copy until the database is read. */
  void restore(RuleSet copied) {
    copied.rules().forEach(rule -> good.put(rule.id(), rule));
    rules = copied;
  }

  private void take(Connection connection, long revision, List<RuleRow> all) throws SQLException {
    Map<String, RuleRow> byId = new HashMap<>();
    for (RuleRow row : all) {
      byId.put(row.id(), row);
      RuleRow old = rows.get(row.id());
      if (old == null || !old.body().equals(row.body())) {
        read(connection, row);
      }
    }
    good.keySet().retainAll(byId.keySet());
    wrong.keySet().retainAll(byId.keySet());
    List<Rule> serving =
        all.stream().sorted(ORDER).map(r -> good.get(r.id())).filter(Objects::nonNull).toList();
    if (revision != rules.revision() || !serving.equals(rules.rules())) {
      rules = RuleSet.of(revision, serving);
    }
    refused = Map.copyOf(wrong);
    rows.putAll(byId);
    rows.keySet().retainAll(byId.keySet());
  }

  /** The rule in force stays if the row says the same, so that its limits are the same objects. */
  private void read(Connection connection, RuleRow row) throws SQLException {
    String id = row.id();
    try {
      good.merge(id, rule(row), (kept, read) -> read.equals(kept) ? kept : read);
      wrong.remove(id);
    } catch (IllegalArgumentException e) {
      if (!good.containsKey(id)) {
        lastGood.of(connection, id).ifPresent(rule -> good.put(id, rule));
      }
      wrong.put(id, String.valueOf(e.getMessage()));
    }
  }

  private static Rule rule(RuleRow row) {
    Rule rule = Rules.readOne("weir_rule " + row.id(), row.body());
    if (!rule.id().equals(row.id())) {
      throw new IllegalArgumentException(
          "weir_rule %s: id: the rule says '%s'; write that of its row"
              .formatted(row.id(), rule.id()));
    }
    return rule;
  }
}
