package io.weir.rules.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The table of API keys. */
final class ApiKeyTable {
  private static final String SELECT_ROWS =
      "SELECT hash, id, owner, tier, revoked_at FROM weir_key";
  private static final String SELECT_CHANGED_SINCE = SELECT_ROWS + " WHERE revision > ?";
  private static final String SELECT_ACTIVE = SELECT_ROWS + " WHERE revoked_at IS NULL";
  private static final String SELECT_ALL =
      "SELECT id, owner, tier, who, created_at, revoked_at FROM weir_key ORDER BY created_at, id";
  private static final String COUNT_ACTIVE =
      "SELECT COUNT(*) FROM weir_key WHERE revoked_at IS NULL";
  private static final String INSERT =
      "INSERT INTO weir_key (id, hash, owner, tier, who, revision) VALUES (?, ?, ?, ?, ?, 0)";
  private static final String REVOKE =
      "UPDATE weir_key SET revoked_at = CURRENT_TIMESTAMP WHERE id = ? AND revoked_at IS NULL";
  private static final int FETCH_SIZE = 5_000;

  private ApiKeyTable() {}

  /** Receives the keys one by one. */
  @FunctionalInterface
  interface ApiKeyVisitor {
    void visit(String hash, ApiKeyOwner caller, boolean revoked);
  }

  /** Visits the keys changed since a revision, including revoked ones. */
  static void visitChangedSince(Connection connection, long revision, ApiKeyVisitor visitor)
      throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(SELECT_CHANGED_SINCE)) {
      query.setLong(1, revision);
      visitRows(query, visitor);
    }
  }

  /** Visits the keys that are not revoked. */
  static void visitActive(Connection connection, ApiKeyVisitor visitor) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(SELECT_ACTIVE)) {
      visitRows(query, visitor);
    }
  }

  private static void visitRows(PreparedStatement query, ApiKeyVisitor visitor)
      throws SQLException {
    query.setFetchSize(FETCH_SIZE);
    try (ResultSet row = query.executeQuery()) {
      while (row.next()) {
        ApiKeyOwner caller = new ApiKeyOwner(row.getString(2), row.getString(3), row.getString(4));
        visitor.visit(row.getString(1), caller, row.getObject(5) != null);
      }
    }
  }

  static List<ApiKey> list(Connection connection) throws SQLException {
    List<ApiKey> keys = new ArrayList<>();
    try (PreparedStatement query = connection.prepareStatement(SELECT_ALL);
        ResultSet row = query.executeQuery()) {
      while (row.next()) {
        ApiKeyOwner caller = new ApiKeyOwner(row.getString(1), row.getString(2), row.getString(3));
        Optional<Instant> revoked =
            Optional.ofNullable(row.getObject(6, OffsetDateTime.class))
                .map(OffsetDateTime::toInstant);
        Instant created = row.getObject(5, OffsetDateTime.class).toInstant();
        keys.add(new ApiKey(caller, row.getString(4), created, revoked));
      }
    }
    return keys;
  }

  /** Returns the number of keys that are not revoked. */
  static long countActive(Connection connection) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(COUNT_ACTIVE);
        ResultSet row = query.executeQuery()) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  static void insert(Connection connection, ApiKeyOwner caller, String hash, String who)
      throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      insert.setString(1, caller.key());
      insert.setString(2, hash);
      insert.setString(3, caller.user());
      insert.setString(4, caller.tier());
      insert.setString(5, who);
      insert.executeUpdate();
    }
  }

  /** Revokes a key; returns whether it existed and was not revoked yet. */
  static boolean revoke(Connection connection, String id) throws SQLException {
    try (PreparedStatement revoke = connection.prepareStatement(REVOKE)) {
      revoke.setString(1, id);
      return revoke.executeUpdate() > 0;
    }
  }
}
