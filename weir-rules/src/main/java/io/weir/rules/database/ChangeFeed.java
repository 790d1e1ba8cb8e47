package io.weir.rules.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The kinds of data in the database; each has its own revision, which triggers advance. */
enum ChangeFeed {
  RULES("rules"),
  KEYS("keys");

  private static final String SELECT_POSITION =
      "SELECT revision, deleted FROM weir_revision WHERE kind = ?";
  private static final String ADVANCE =
      "UPDATE weir_revision SET revision = revision + 1 WHERE kind = ?";
  private static final String ADVANCE_DELETED =
      "UPDATE weir_revision SET revision = revision + 1, deleted = revision + 1 WHERE kind = ?";

  private final String feedName;

  ChangeFeed(String feedName) {
    this.feedName = feedName;
  }

  /**
   * The position of a feed.
   *
   * @param revision its current revision
   * @param deletedRevision the revision of the last deletion
   */
  record FeedPosition(long revision, long deletedRevision) {}

  FeedPosition position(Connection connection) throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(SELECT_POSITION)) {
      read.setString(1, feedName);
      try (ResultSet row = read.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("weir_revision has no row of kind '" + feedName + "'; insert it");
        }
        return new FeedPosition(row.getLong(1), row.getLong(2));
      }
    }
  }

  /** Blocks other changes of this kind until the transaction ends. */
  void lock(Connection connection) throws SQLException {
    try (PreparedStatement lock = connection.prepareStatement(SELECT_POSITION + " FOR UPDATE")) {
      lock.setString(1, feedName);
      lock.executeQuery().close();
    }
  }

  /** Advances to the next revision; other changes wait until the transaction ends. */
  void advance(Connection connection, boolean deletes) throws SQLException {
    try (PreparedStatement move =
        connection.prepareStatement(deletes ? ADVANCE_DELETED : ADVANCE)) {
      move.setString(1, feedName);
      move.executeUpdate();
    }
  }
}
