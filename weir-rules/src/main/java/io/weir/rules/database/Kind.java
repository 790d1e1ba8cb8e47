package io.weir.rules.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** What the database keeps; each kind has a revision of its own, which triggers move on. */
enum Kind {
  RULES("rules"),
  KEYS("keys");

  private static final String READ = "SELECT revision, deleted FROM weir_revision WHERE kind = ?";
  private static final String MOVE =
      "UPDATE weir_revision SET revision = revision + 1 WHERE kind = ?";
  private static final String DELETE =
      "UPDATE weir_revision SET revision = revision + 1, deleted = revision + 1 WHERE kind = ?";

  private final String text;

  Kind(String text) {
    this.text = text;
  }

  /**
   * How far a kind has moved on.
   *
   * @param now its revision
   * @param deleted the revision in which rows were deleted last
   */
  record Moved(long now, long deleted) {}

  Moved moved(Connection connection) throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(READ)) {
      read.setString(1, text);
      try (ResultSet row = read.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("weir_revision has no row of kind '" + text + "'; insert it");
        }
        return new Moved(row.getLong(1), row.getLong(2));
      }
    }
  }

  /** Makes other changes of this kind wait until the transaction ends. */
  void lock(Connection connection) throws SQLException {
    try (PreparedStatement lock = connection.prepareStatement(READ + " FOR UPDATE")) {
      lock.setString(1, text);
      lock.executeQuery().close();
    }
  }

  /** Moves on to the next revision; other changes wait until the transaction ends. */
  void move(Connection connection, boolean deletes) throws SQLException {
    try (PreparedStatement move = connection.prepareStatement(deletes ? DELETE : MOVE)) {
      move.setString(1, text);
      move.executeUpdate();
    }
  }
}
