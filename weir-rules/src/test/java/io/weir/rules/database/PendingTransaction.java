package io.weir.rules.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Statements executed directly on the database in one transaction, to be committed later. */
final class PendingTransaction {
  private final Connection connection;

  PendingTransaction(String url, List<String> statements) {
    try {
      connection = DriverManager.getConnection(url);
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        for (String sql : statements) {
          statement.execute(sql);
        }
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  void commit() {
    try (connection) {
      connection.commit();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
