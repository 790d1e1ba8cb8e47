package io.weir.rules.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** A database that may be away: its connections, and transactions that are done whole or not. */
final class Database implements AutoCloseable {
  private static final int CONNECTIONS = 4;
  private static final long PATIENCE_MILLIS = 3_000;

  private final String url;
  private final Dialect dialect;
  private final HikariDataSource pool;

  Database(String url) {
    this.url = url;
    dialect = Dialect.of(url);
    HikariConfig config = new HikariConfig();
    config.setPoolName("weir-rules");
    config.setJdbcUrl(url);
    config.setDataSourceProperties(dialect.properties());
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(PATIENCE_MILLIS);
    config.setValidationTimeout(PATIENCE_MILLIS / 3);
    config.setInitializationFailTimeout(-1);
    config.setAutoCommit(false);
    pool = new HikariDataSource(config);
  }

  /** Work in a transaction. */
  @FunctionalInterface
  interface Work<T> {
    T in(Connection connection) throws SQLException;
  }

  /**
   * Does some work, which is kept whole if it returns and not at all if it throws.
   *
   * @param who whom the history names for it
   * @throws DatabaseException if the database did not do it
   */
  <T> T change(String who, Work<T> work) {
    try (Connection connection = pool.getConnection()) {
      try {
        actFor(connection, who);
        T result = work.in(connection);
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException e) {
        rollback(connection, e);
        throw e;
      }
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  private void actFor(Connection connection, String who) throws SQLException {
    try (PreparedStatement say = connection.prepareStatement(dialect.actFor())) {
      say.setString(1, who);
      say.execute();
    }
  }

  private static void rollback(Connection connection, Exception why) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      why.addSuppressed(e);
    }
  }

  /** As {@link #change}, of work that only reads and sees one state of the database. */
  <T> T read(Work<T> work) {
    try (Connection connection = pool.getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      T result = work.in(connection);
      connection.rollback();
      return result;
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  /** A connection of the caller's own, with the schema up to date, that hears of changes. */
  Connection listen() throws SQLException {
    Connection connection = DriverManager.getConnection(url, dialect.properties());
    try {
      connection.setAutoCommit(false);
      Migrations.run(connection, dialect);
      connection.commit();
      connection.setAutoCommit(true);
      dialect.listen(connection);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  Dialect dialect() {
    return dialect;
  }

  DatabaseException failure(SQLException e) {
    return new DatabaseException(this + ": " + e.getMessage(), e);
  }

  /** Without what follows the address, which may hold a password. */
  static String shown(String url) {
    return url.replaceAll("[?;].*", "").replaceAll("//[^/@]*@", "//");
  }

  @Override
  public String toString() {
    return shown(url);
  }

  @Override
  public void close() {
    pool.close();
  }
}
