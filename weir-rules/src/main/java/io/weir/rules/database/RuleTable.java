package io.weir.rules.database;

import io.weir.rules.Rules;
import io.weir.rules.RulesSizeLimit;
import io.weir.rules.text.InvalidConfigurationException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The table of rules; triggers set the revision of each row and record the history. */
final class RuleTable {
  private static final String SELECT_ROWS = "SELECT id, position, body, revision FROM weir_rule";
  private static final String SELECT_TOTAL_BYTES =
      "SELECT COALESCE(SUM(OCTET_LENGTH(body)), 0) FROM weir_rule";
  private static final String SELECT_IDS = "SELECT id FROM weir_rule";
  private static final String SELECT_NEXT_POSITION =
      "SELECT COALESCE(MAX(position), 0) + 1 FROM weir_rule";
  private static final String INSERT =
      "INSERT INTO weir_rule (position, body, id, revision) VALUES (?, ?, ?, 0)";
  private static final String UPDATE = "UPDATE weir_rule SET position = ?, body = ? WHERE id = ?";
  private static final String DELETE = "DELETE FROM weir_rule WHERE id = ?";
  private static final int FETCH_SIZE = 2_000;
  private static final long NO_REVISION = -1;

  private RuleTable() {}

  /** Returns the rules changed since a revision. */
  static List<RuleRow> changedSince(Connection connection, long revision) throws SQLException {
    List<RuleRow> rows = new ArrayList<>();
    try (PreparedStatement query =
        connection.prepareStatement(SELECT_ROWS + " WHERE revision > ?")) {
      query.setLong(1, revision);
      query.setFetchSize(FETCH_SIZE);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          rows.add(toRow(row));
        }
      }
    }
    return rows;
  }

  /**
   * As {@link #changedSince(Connection, long)}, if the rules do not exceed a size limit.
   *
   * @throws SQLException if all rules together are larger than the limit
   */
  static List<RuleRow> changedSince(Connection connection, long revision, long maxBytes)
      throws SQLException {
    long bytes = totalBytes(connection);
    if (bytes > maxBytes) {
      throw new SQLException("weir_rule: " + RulesSizeLimit.tooLargeMessage(bytes, maxBytes));
    }
    return changedSince(connection, revision);
  }

  /** Returns the size of all rules in bytes. */
  static long totalBytes(Connection connection) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(SELECT_TOTAL_BYTES);
        ResultSet row = query.executeQuery()) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  static Set<String> ids(Connection connection) throws SQLException {
    Set<String> ids = new HashSet<>();
    try (PreparedStatement query = connection.prepareStatement(SELECT_IDS);
        ResultSet row = query.executeQuery()) {
      while (row.next()) {
        ids.add(row.getString(1));
      }
    }
    return ids;
  }

  /**
   * Creates or replaces a rule.
   *
   * @return its revision, which does not change if the body is equal
   * @throws StaleRevisionException if it is at another revision than expected
   */
  static long put(Connection connection, String id, String body, long expected)
      throws SQLException {
    Optional<RuleRow> old = requireRevision(connection, id, expected);
    if (old.isPresent() && old.get().body().equals(body)) {
      return expected;
    }
    long position = old.isPresent() ? old.get().position() : nextPosition(connection);
    return write(connection, id, position, old.isPresent(), body);
  }

  /** Deletes a rule; the parameters are those of {@link #put}. */
  static long delete(Connection connection, String id, long expected) throws SQLException {
    Optional<RuleRow> old = requireRevision(connection, id, expected);
    if (old.isEmpty()) {
      throw new StaleRevisionException(id, expected, 0);
    }
    return write(connection, id, old.get().position(), true, null);
  }

  /**
   * Replaces all rules by these, in their order.
   *
   * @param bodies by id
   * @return the revision of the rules, which does not change if they are equal
   * @throws StaleRevisionException if they are at another revision than expected
   */
  static long replace(Connection connection, Map<String, String> bodies, long expected)
      throws SQLException {
    ChangeFeed.RULES.lock(connection);
    long current = ChangeFeed.RULES.position(connection).revision();
    if (current != expected) {
      throw new StaleRevisionException(expected, current);
    }
    Map<String, RuleRow> old = new HashMap<>();
    changedSince(connection, NO_REVISION).forEach(row -> old.put(row.id(), row));
    for (RuleRow row : old.values()) {
      if (!bodies.containsKey(row.id())) {
        write(connection, row.id(), row.position(), true, null);
      }
    }
    long position = 0;
    for (Map.Entry<String, String> rule : bodies.entrySet()) {
      RuleRow row = old.get(rule.getKey());
      long kept = row == null ? 0 : row.position();
      boolean inOrder = kept > position;
      position = inOrder ? kept : position + 1;
      if (row == null || !inOrder || !row.body().equals(rule.getValue())) {
        write(connection, rule.getKey(), position, row != null, rule.getValue());
      }
    }
    return ChangeFeed.RULES.position(connection).revision();
  }

  /**
   * Reverts the last change of a rule.
   *
   * @param expected the required revision of that change, if any
   * @throws InvalidConfigurationException if the previous version is invalid, as a manual edit can
   *     be
   */
  static long undo(Connection connection, String id, OptionalLong expected) throws SQLException {
    ChangeFeed.RULES.lock(connection);
    HistoryTable.HistoryEntry last =
        HistoryTable.entriesOf(connection, id).stream()
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "rule '" + id + "' has no history; there is nothing to undo"));
    long revision = last.change().revision();
    if (expected.orElse(revision) != revision) {
      throw new StaleRevisionException(id, expected.getAsLong(), revision);
    }
    String body = last.change().before().orElse(null);
    if (body != null) {
      var unused = Rules.readOne("weir_history " + id, body);
    }
    return write(connection, id, last.position(), find(connection, id).isPresent(), body);
  }

  private static Optional<RuleRow> requireRevision(Connection connection, String id, long expected)
      throws SQLException {
    ChangeFeed.RULES.lock(connection);
    Optional<RuleRow> old = find(connection, id);
    long current = old.map(RuleRow::revision).orElse(0L);
    if (current != expected) {
      throw new StaleRevisionException(id, expected, current);
    }
    return old;
  }

  private static Optional<RuleRow> find(Connection connection, String id) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(SELECT_ROWS + " WHERE id = ?")) {
      query.setString(1, id);
      try (ResultSet row = query.executeQuery()) {
        return row.next() ? Optional.of(toRow(row)) : Optional.empty();
      }
    }
  }

  private static long nextPosition(Connection connection) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(SELECT_NEXT_POSITION);
        ResultSet row = query.executeQuery()) {
      return row.next() ? row.getLong(1) : 1;
    }
  }

  private static long write(
      Connection connection, String id, long position, boolean exists, @Nullable String body)
      throws SQLException {
    if (body == null) {
      try (PreparedStatement delete = connection.prepareStatement(DELETE)) {
        delete.setString(1, id);
        delete.executeUpdate();
      }
    } else {
      try (PreparedStatement write = connection.prepareStatement(exists ? UPDATE : INSERT)) {
        write.setLong(1, position);
        write.setString(2, body);
        write.setString(3, id);
        write.executeUpdate();
      }
    }
    return ChangeFeed.RULES.position(connection).revision();
  }

  private static RuleRow toRow(ResultSet row) throws SQLException {
    return new RuleRow(row.getString(1), row.getLong(2), row.getString(3), row.getLong(4));
  }
}
