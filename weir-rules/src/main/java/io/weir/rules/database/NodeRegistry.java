package io.weir.rules.database;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** The nodes that share a database. Each node reports its state every few seconds. Thread-safe. */
public final class NodeRegistry {
  private static final String UPDATE =
      "UPDATE weir_node SET seen_at = CURRENT_TIMESTAMP, body = ? WHERE name = ?";
  private static final String INSERT =
      "INSERT INTO weir_node (body, name, seen_at) VALUES (?, ?, CURRENT_TIMESTAMP)";
  private static final String DELETE_EXPIRED = "DELETE FROM weir_node WHERE seen_at < ?";
  private static final String SELECT_ALL =
      "SELECT name, body, seen_at, CURRENT_TIMESTAMP FROM weir_node ORDER BY name";
  private static final String SELECT_NOW = "SELECT CURRENT_TIMESTAMP";
  private static final Duration RETENTION = Duration.ofHours(1);

  private final Database database;

  NodeRegistry(Database database) {
    this.database = database;
  }

  /**
   * A node with its last report.
   *
   * @param body the state reported by the node, as JSON
   * @param age the age of the report, by the clock of the database
   */
  public record RegisteredNode(String name, String body, Duration age) {}

  /**
   * Reports that a node is alive; nodes without a report for an hour are deleted.
   *
   * @throws DatabaseException if the database is unavailable
   */
  public void report(String name, String body) {
    database.change(
        "",
        connection -> {
          try (PreparedStatement update = connection.prepareStatement(UPDATE);
              PreparedStatement insert = connection.prepareStatement(INSERT);
              PreparedStatement forget = connection.prepareStatement(DELETE_EXPIRED);
              PreparedStatement now = connection.prepareStatement(SELECT_NOW);
              ResultSet row = now.executeQuery()) {
            if (write(update, name, body) == 0) {
              write(insert, name, body);
            }
            if (row.next()) {
              forget.setObject(1, row.getObject(1, OffsetDateTime.class).minus(RETENTION));
              forget.executeUpdate();
            }
          }
          return true;
        });
  }

  private static int write(PreparedStatement statement, String name, String body)
      throws SQLException {
    statement.setString(1, body);
    statement.setString(2, name);
    return statement.executeUpdate();
  }

  /**
   * Returns all nodes with a report within the last hour, ordered by name.
   *
   * @throws DatabaseException if the database is unavailable
   */
  public List<RegisteredNode> list() {
    return database.read(
        connection -> {
          List<RegisteredNode> nodes = new ArrayList<>();
          try (PreparedStatement query = connection.prepareStatement(SELECT_ALL);
              ResultSet row = query.executeQuery()) {
            while (row.next()) {
              Duration ago =
                  Duration.between(
                      row.getObject(3, OffsetDateTime.class),
                      row.getObject(4, OffsetDateTime.class));
              nodes.add(new RegisteredNode(row.getString(1), row.getString(2), ago));
            }
          }
          return nodes;
        });
  }
}
