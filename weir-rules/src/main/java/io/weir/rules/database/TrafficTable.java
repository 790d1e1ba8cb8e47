package io.weir.rules.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The traffic counts of rules in the database, summed over all nodes: per minute for a day, and per
 * hour for ninety days. Thread-safe.
 */
public final class TrafficTable {
  private static final String SELECT_BY_RULE =
      "SELECT began, allowed, refused, shadow_refused FROM weir_traffic"
          + " WHERE seconds = ? AND began >= ? AND rule_id = ?";
  private static final String LOCK_TABLE =
      "SELECT 1 FROM weir_traffic WHERE seconds = 0 FOR UPDATE";
  private static final String UPDATE =
      "UPDATE weir_traffic SET allowed = allowed + ?, refused = refused + ?,"
          + " shadow_refused = shadow_refused + ? WHERE seconds = ? AND began = ? AND rule_id = ?";
  private static final String INSERT =
      "INSERT INTO weir_traffic (allowed, refused, shadow_refused, seconds, began, rule_id)"
          + " VALUES (?, ?, ?, ?, ?, ?)";
  private static final String DELETE_EXPIRED =
      "DELETE FROM weir_traffic WHERE seconds = ? AND began < ?";

  private final Database database;

  TrafficTable(Database database) {
    this.database = database;
  }

  /**
   * Adds counts to the minute and the hour of a time, and deletes expired ones.
   *
   * @param second the time, in seconds since the epoch
   * @throws DatabaseException if the database is unavailable; then nothing was added
   */
  public void add(long second, Collection<RuleCounts> counts) {
    database.change(
        "",
        connection -> {
          lock(connection);
          for (TrafficResolution step : TrafficResolution.values()) {
            add(connection, step, step.startOf(second), counts);
            deleteExpired(connection, step, step.oldestKept(second));
          }
          return true;
        });
  }

  /**
   * Blocks other nodes until the transaction ends, so that two nodes do not insert the same row.
   */
  private static void lock(Connection connection) throws SQLException {
    try (PreparedStatement lock = connection.prepareStatement(LOCK_TABLE)) {
      lock.executeQuery().close();
    }
  }

  private static void add(
      Connection connection, TrafficResolution step, long began, Collection<RuleCounts> counts)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(UPDATE);
        PreparedStatement insert = connection.prepareStatement(INSERT)) {
      for (RuleCounts ruleCounts : counts) {
        addBatch(update, step, began, ruleCounts);
      }
      int[] rows = update.executeBatch();
      int i = 0;
      for (RuleCounts ruleCounts : counts) {
        if (rows[i++] == 0) {
          addBatch(insert, step, began, ruleCounts);
        }
      }
      insert.executeBatch();
    }
  }

  private static void addBatch(
      PreparedStatement statement, TrafficResolution step, long began, RuleCounts counts)
      throws SQLException {
    statement.setLong(1, counts.allowed());
    statement.setLong(2, counts.refused());
    statement.setLong(3, counts.shadowRefused());
    statement.setInt(4, step.seconds());
    statement.setLong(5, began);
    statement.setString(6, counts.rule());
    statement.addBatch();
  }

  private static void deleteExpired(Connection connection, TrafficResolution step, long oldest)
      throws SQLException {
    try (PreparedStatement forget = connection.prepareStatement(DELETE_EXPIRED)) {
      forget.setInt(1, step.seconds());
      forget.setLong(2, oldest);
      forget.executeUpdate();
    }
  }

  /**
   * Returns the counts of a rule by the start of each interval, in seconds since the epoch.
   *
   * @param rule its id, or {@link RuleCounts#WHOLE_REQUESTS}
   * @param from the start of the first interval
   * @throws DatabaseException if the database is unavailable
   */
  public NavigableMap<Long, RuleCounts> countsOf(String rule, TrafficResolution step, long from) {
    return database.read(
        connection -> {
          NavigableMap<Long, RuleCounts> steps = new TreeMap<>();
          try (PreparedStatement query = connection.prepareStatement(SELECT_BY_RULE)) {
            query.setInt(1, step.seconds());
            query.setLong(2, from);
            query.setString(3, rule);
            try (ResultSet row = query.executeQuery()) {
              while (row.next()) {
                RuleCounts counts =
                    new RuleCounts(rule, row.getLong(2), row.getLong(3), row.getLong(4));
                steps.put(row.getLong(1), counts);
              }
            }
          }
          return steps;
        });
  }
}
