package io.weir.rules.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What rules said, kept in the database by the minute for a day and by the hour for ninety days,
 * added up over all nodes. Safe for any number of threads.
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
   * Adds what rules said in the minute of a moment, and forgets what is too old.
   *
   * @param second since the epoch
   * @throws DatabaseException if the database is away; then nothing was added
   */
  public void add(long second, Collection<RuleCounts> said) {
    database.change(
        "",
        connection -> {
          lock(connection);
          for (TrafficResolution step : TrafficResolution.values()) {
            add(connection, step, step.startOf(second), said);
            deleteExpired(connection, step, step.oldestKept(second));
          }
          return true;
        });
  }

  /** Makes other nodes wait until the transaction ends, lest two of them make the same row. */
  private static void lock(Connection connection) throws SQLException {
    try (PreparedStatement lock = connection.prepareStatement(LOCK_TABLE)) {
      lock.executeQuery().close();
    }
  }

  private static void add(
      Connection connection, TrafficResolution step, long began, Collection<RuleCounts> all)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(UPDATE);
        PreparedStatement insert = connection.prepareStatement(INSERT)) {
      for (RuleCounts said : all) {
        addBatch(update, step, began, said);
      }
      int[] rows = update.executeBatch();
      int i = 0;
      for (RuleCounts said : all) {
        if (rows[i++] == 0) {
          addBatch(insert, step, began, said);
        }
      }
      insert.executeBatch();
    }
  }

  private static void addBatch(
      PreparedStatement statement, TrafficResolution step, long began, RuleCounts said)
      throws SQLException {
    statement.setLong(1, said.allowed());
    statement.setLong(2, said.refused());
    statement.setLong(3, said.shadowRefused());
    statement.setInt(4, step.seconds());
    statement.setLong(5, began);
    statement.setString(6, said.rule());
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
   * What a rule said, by when each step began, in seconds since the epoch.
   *
   * @param rule its id, or {@link RuleCounts#WHOLE_REQUESTS}
   * @param from the first step
   * @throws DatabaseException if the database is away
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
                RuleCounts said =
                    new RuleCounts(rule, row.getLong(2), row.getLong(3), row.getLong(4));
                steps.put(row.getLong(1), said);
              }
            }
          }
          return steps;
        });
  }
}
