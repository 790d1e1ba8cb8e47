package io.weir.rules.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What rules said, kept in the database by the minute for a day and by the hour for ninety days,
 * added up over all nodes. Safe for any number of threads.
 */
public final class Traffic {
  private static final String OF_RULE =
      "SELECT began, allowed, refused, shadow_refused FROM weir_traffic"
          + " WHERE seconds = ? AND began >= ? AND rule_id = ?";
  private static final String FORGET = "DELETE FROM weir_traffic WHERE seconds = ? AND began < ?";

  private final Database database;

  Traffic(Database database) {
    this.database = database;
  }

  /**
   * Adds what rules said in the minute of a moment, and forgets what is too old.
   *
   * @param second since the epoch
   * @throws DatabaseException if the database is away; then nothing was added
   */
  public void add(long second, Collection<Said> said) {
    // in one order, lest two nodes wait for each other's rows
    List<Said> sorted = said.stream().sorted(Comparator.comparing(Said::rule)).toList();
    database.change(
        "",
        connection -> {
          for (Step step : Step.values()) {
            add(connection, step, step.began(second), sorted);
            forget(connection, step, step.oldest(second));
          }
          return true;
        });
  }

  private void add(Connection connection, Step step, long began, List<Said> all)
      throws SQLException {
    try (PreparedStatement add = connection.prepareStatement(database.dialect().addTraffic())) {
      for (Said said : all) {
        add.setInt(1, step.seconds());
        add.setLong(2, began);
        add.setString(3, said.rule());
        add.setLong(4, said.allowed());
        add.setLong(5, said.refused());
        add.setLong(6, said.shadowRefused());
        add.addBatch();
      }
      add.executeBatch();
    }
  }

  private static void forget(Connection connection, Step step, long oldest) throws SQLException {
    try (PreparedStatement forget = connection.prepareStatement(FORGET)) {
      forget.setInt(1, step.seconds());
      forget.setLong(2, oldest);
      forget.executeUpdate();
    }
  }

  /**
   * What a rule said, by when each step began, in seconds since the epoch.
   *
   * @param rule its id, or {@link Said#REQUESTS}
   * @param from the first step
   * @throws DatabaseException if the database is away
   */
  public NavigableMap<Long, Said> of(String rule, Step step, long from) {
    return database.read(
        connection -> {
          NavigableMap<Long, Said> steps = new TreeMap<>();
          try (PreparedStatement query = connection.prepareStatement(OF_RULE)) {
            query.setInt(1, step.seconds());
            query.setLong(2, from);
            query.setString(3, rule);
            try (ResultSet row = query.executeQuery()) {
              while (row.next()) {
                Said said = new Said(rule, row.getLong(2), row.getLong(3), row.getLong(4));
                steps.put(row.getLong(1), said);
              }
            }
          }
          return steps;
        });
  }
}
