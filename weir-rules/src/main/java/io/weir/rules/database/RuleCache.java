package io.weir.rules.database;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
  private final long maxBytes;
  private final Map<String, RuleRow> rows = new ConcurrentHashMap<>();
  private final Set<RuleRow> order = new TreeSet<>(ORDER);
  private final Map<String, Rule> good = new HashMap<>();
  private final Map<String, String> wrong = new TreeMap<>();
  private long seen = NONE;

  /** Whether a look ended half-way, as it does without memory; then all rows are read anew. */
  private boolean torn;

  private volatile RuleSet rules = RuleSet.of(0, List.of());
  private volatile Map<String, String> refused = Map.of();

  RuleCache(LastGood lastGood, long maxBytes) {
    this.lastGood = lastGood;
    this.maxBytes = maxBytes;
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

  /** Serves rules of a copy until the database is read. */
  void restore(Copy.Content copied) {
    copied.rules().rules().forEach(rule -> good.put(rule.id(), rule));
    wrong.putAll(copied.refused());
    rules = copied.rules();
    refused = Map.copyOf(wrong);
  }

  /**
   * Takes what was changed in the database, except for rows that are bad.
   *
   * @param whole whether to read all rows, and not only those changed since the last look
   */
  void look(Connection connection, Kind.Moved moved, boolean whole) throws SQLException {
    if (whole || moved.now() != seen || torn) {
      boolean all = whole || moved.now() < seen || torn;
      List<RuleRow> changed = RuleTable.since(connection, all ? NONE : seen, maxBytes);
      for (RuleRow row : changed) {
        read(connection, row);
      }
      Set<String> gone = all || moved.deleted() > seen ? gone(connection) : Set.of();
      if (torn) {
        order.clear();
      }
      torn = true;
      changed.forEach(this::place);
      gone.forEach(this::displace);
      serve(moved.now());
      changed.forEach(row -> rows.put(row.id(), row));
      rows.keySet().removeAll(gone);
      seen = moved.now();
      torn = false;
    }
  }

  /** The rule in force stays if the row says the same, so that its limits are the same objects. */
  private void read(Connection connection, RuleRow row) throws SQLException {
    String id = row.id();
    RuleRow old = rows.get(id);
    if (old != null && old.body().equals(row.body())) {
      return;
    }
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

  /** The rules known here of which the database has no row any more. */
  private Set<String> gone(Connection connection) throws SQLException {
    Set<String> known = new HashSet<>(good.keySet());
    known.addAll(wrong.keySet());
    known.removeAll(RuleTable.ids(connection));
    return known;
  }

  private void place(RuleRow row) {
    RuleRow old = rows.get(row.id());
    if (old != null) {
      order.remove(old);
    }
    order.add(row);
  }

  private void displace(String id) {
    good.remove(id);
    wrong.remove(id);
    RuleRow old = rows.get(id);
    if (old != null) {
      order.remove(old);
    }
  }

  private void serve(long revision) {
    List<Rule> serving =
        order.stream().map(row -> good.get(row.id())).filter(Objects::nonNull).toList();
    if (revision != rules.revision() || !serving.equals(rules.rules())) {
      rules = RuleSet.of(revision, serving);
    }
    refused = Map.copyOf(wrong);
  }
}
