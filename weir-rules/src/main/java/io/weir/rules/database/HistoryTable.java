package io.weir.rules.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The table of all changes of rules, which is written by triggers. */
final class HistoryTable {
  private static final String SELECT_BY_RULE =
      "SELECT revision, position, who, changed_at, body_before, body_after FROM weir_history"
          + " WHERE rule_id = ? ORDER BY revision DESC";

  private HistoryTable() {}

  /** A change, and the position of the rule before the change. */
  record HistoryEntry(RuleChange change, long position) {}

  /** Returns the changes of a rule, the latest first. */
  static List<HistoryEntry> entriesOf(Connection connection, String id) throws SQLException {
    List<HistoryEntry> entries = new ArrayList<>();
    try (PreparedStatement query = connection.prepareStatement(SELECT_BY_RULE)) {
      query.setString(1, id);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          RuleChange change =
              new RuleChange(
                  row.getLong(1),
                  id,
                  row.getString(3),
                  row.getObject(4, OffsetDateTime.class).toInstant(),
                  Optional.ofNullable(row.getString(5)),
                  Optional.ofNullable(row.getString(6)));
          entries.add(new HistoryEntry(change, row.getLong(2)));
        }
      }
    }
    return entries;
  }
}
