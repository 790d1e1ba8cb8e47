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
 * The rules of the database as used by this node: the last good version of each row.
 *
 * <p>Changed by one thread at a time; read by any.
 */
final class RuleCache {
  private static final long NO_REVISION = -1;
  private static final Comparator<RuleRow> ORDER =
      Comparator.comparingLong(RuleRow::position).thenComparing(RuleRow::id);

  private final LastGoodRules lastGood;
  private final long maxBytes;
  private final Map<String, RuleRow> rows = new ConcurrentHashMap<>();
  private final Set<RuleRow> order = new TreeSet<>(ORDER);
  private final Map<String, Rule> goodRules = new HashMap<>();
  private final Map<String, String> errors = new TreeMap<>();
  private long lastRevision = NO_REVISION;

  /** Whether a refresh ended half-way, for example out of memory; then all rows are read again. */
  private boolean incomplete;

  private volatile RuleSet rules = RuleSet.of(0, List.of());
  private volatile Map<String, String> rejected = Map.of();

  RuleCache(LastGoodRules lastGood, long maxBytes) {
    this.lastGood = lastGood;
    this.maxBytes = maxBytes;
  }

  RuleSet rules() {
    return rules;
  }

  /** Returns the revision of a row, valid or not, never newer than the rule in force; 0 if none. */
  long revision(String id) {
    RuleRow row = rows.get(id);
    return row == null ? 0 : row.revision();
  }

  /** Returns the problems of invalid rows, by row id; empty if all rows are valid. */
  Map<String, String> rejected() {
    return rejected;
  }

  /** Uses the rules of a backup until the database is read. */
  void restore(RuleBackup.BackupContent backup) {
    backup.rules().rules().forEach(rule -> goodRules.put(rule.id(), rule));
    errors.putAll(backup.rejected());
    rules = backup.rules();
    rejected = Map.copyOf(errors);
  }

  /**
   * Applies the changes of the database, except for invalid rows.
   *
   * @param whole whether to read all rows, and not only those changed since the last call
   */
  void refresh(Connection connection, ChangeFeed.FeedPosition moved, boolean whole)
      throws SQLException {
    if (whole || moved.revision() != lastRevision || incomplete) {
      boolean all = whole || moved.revision() < lastRevision || incomplete;
      List<RuleRow> changed =
          RuleTable.changedSince(connection, all ? NO_REVISION : lastRevision, maxBytes);
      for (RuleRow row : changed) {
        readRow(connection, row);
      }
      Set<String> gone =
          all || moved.deletedRevision() > lastRevision ? deletedIds(connection) : Set.of();
      if (incomplete) {
        order.clear();
      }
      incomplete = true;
      changed.forEach(this::insertRow);
      gone.forEach(this::removeRow);
      publish(moved.revision());
      changed.forEach(row -> rows.put(row.id(), row));
      rows.keySet().removeAll(gone);
      lastRevision = moved.revision();
      incomplete = false;
    }
  }

  /** Keeps the rule in force if the row is equal, so that its limits stay the same objects. */
  private void readRow(Connection connection, RuleRow row) throws SQLException {
    String id = row.id();
    RuleRow old = rows.get(id);
    if (old != null && old.body().equals(row.body())) {
      return;
    }
    try {
      goodRules.merge(id, parse(row), (cached, parsed) -> parsed.equals(cached) ? cached : parsed);
      errors.remove(id);
    } catch (IllegalArgumentException e) {
      if (!goodRules.containsKey(id)) {
        lastGood.find(connection, id).ifPresent(rule -> goodRules.put(id, rule));
      }
      errors.put(id, String.valueOf(e.getMessage()));
    }
  }

  private static Rule parse(RuleRow row) {
    Rule rule = Rules.readOne("weir_rule " + row.id(), row.body());
    if (!rule.id().equals(row.id())) {
      throw new IllegalArgumentException(
          "weir_rule %s: id: must be the id of its row (was '%s')".formatted(row.id(), rule.id()));
    }
    return rule;
  }

  /** Returns the ids of cached rules that no longer have a row in the database. */
  private Set<String> deletedIds(Connection connection) throws SQLException {
    Set<String> known = new HashSet<>(goodRules.keySet());
    known.addAll(errors.keySet());
    known.removeAll(RuleTable.ids(connection));
    return known;
  }

  private void insertRow(RuleRow row) {
    RuleRow old = rows.get(row.id());
    if (old != null) {
      order.remove(old);
    }
    order.add(row);
  }

  private void removeRow(String id) {
    goodRules.remove(id);
    errors.remove(id);
    RuleRow old = rows.get(id);
    if (old != null) {
      order.remove(old);
    }
  }

  private void publish(long revision) {
    List<Rule> serving =
        order.stream().map(row -> goodRules.get(row.id())).filter(Objects::nonNull).toList();
    if (revision != rules.revision() || !serving.equals(rules.rules())) {
      rules = RuleSet.of(revision, serving);
    }
    rejected = Map.copyOf(errors);
  }
}
