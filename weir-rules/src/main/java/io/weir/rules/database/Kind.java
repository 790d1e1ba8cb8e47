package io.weir.rules.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** What the database keeps; each kind has a revision of its own, which triggers move on. */
enum Kind {
  RULES("rules"),
  KEYS("keys");

  private static final String READ = "SELECT revision FROM weir_revision WHERE kind = ?";
  private static final String MOVE =
      "UPDATE weir_revision SET revision = revision + 1 WHERE kind = ?";

  private final String text;

  Kind(String text) {
    this.text = text;
  }

  long revision(Connection connection) throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(READ)) {
      read.setString(1, text);
      try (ResultSet row = read.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("weir_revision has no row of kind '" + text + "'; insert it");
        }
        return row.getLong(1);
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
  void move(Connection connection) throws SQLException {
    try (PreparedStatement move = connection.prepareStatement(MOVE)) {
      move.setString(1, text);
      move.executeUpdate();
    }
  }
}
