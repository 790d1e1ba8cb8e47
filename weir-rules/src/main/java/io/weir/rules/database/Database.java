package io.weir.rules.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** A database that may be away: its connections, and transactions that are done whole or not. */
final class Database implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Database.class.getName());
  private static final String PROBE = "UPDATE weir_schema SET version = version WHERE version = 1";
  private static final long MIN_COMPACTED_BYTES = 32 << 20;
  private static final int GROWTH = 4;
  private static final int CONNECTIONS = 4;
  private static final long PATIENCE_MILLIS = 3_000;

  private final String url;
  private final Dialect dialect;
  private final HikariDataSource pool;
  private final WriteHealth writes;
  private final Lock inUse;
  private final Lock compacting;
  private long compactedSize;
  private final long minCompacted;

  Database(String url) {
    this(url, MIN_COMPACTED_BYTES);
  }

  /**
   * @param minCompacted the size from which on the file of an embedded database is compacted
   */
  Database(String url, long minCompacted) {
    this.minCompacted = minCompacted;
    dialect = Dialect.of(url);
    this.url = dialect.durable(url);
    writes = new WriteHealth(shown(url));
    ReadWriteLock use = new ReentrantReadWriteLock();
    inUse = use.readLock();
    compacting = use.writeLock();
    HikariConfig config = new HikariConfig();
    config.setPoolName("weir-rules");
    config.setJdbcUrl(this.url);
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
   * @throws DatabaseException if the database did not do it, or has not said that it did
   */
  <T> T change(String who, Work<T> work) {
    return change(who, work, false);
  }

  /**
   * As {@link #change}, and returns only when the change would survive a crash of this process and,
   * as far as the database says so, of the machine.
   */
  <T> T changeDurably(String who, Work<T> work) {
    return change(who, work, true);
  }

  private <T> T change(String who, Work<T> work, boolean durable) {
    Attempt<T> first = new Attempt<>(who, work, durable);
    try {
      T result;
      try {
        result = first.run();
      } catch (SQLException e) {
        if (first.committing || !dialect.isClosed(e)) {
          throw e;
        }
        // another's failed write closed it before this one began to commit
        result = new Attempt<>(who, work, durable).run();
      }
      writes.succeeded();
      return result;
    } catch (SQLException e) {
      writes.failed(e);
      throw failure(e);
    }
  }

  /** One transaction that changes something. */
  private final class Attempt<T> {
    private final String who;
    private final Work<T> work;
    private final boolean durable;
    private boolean committing;

    Attempt(String who, Work<T> work, boolean durable) {
      this.who = who;
      this.work = work;
      this.durable = durable;
    }

    T run() throws SQLException {
      inUse.lock();
      dialect.changeLock().lock();
      try (Connection connection = pool.getConnection()) {
        try {
          actFor(connection, who);
          T result = work.in(connection);
          committing = true;
          connection.commit();
          if (durable) {
            dialect.sync(connection);
          }
          return result;
        } catch (SQLException | RuntimeException e) {
          rollback(connection, e);
          evict(connection, e);
          throw e;
        }
      } finally {
        dialect.changeLock().unlock();
        inUse.unlock();
      }
    }
  }

  /** The pool takes connections to a closed embedded database for good ones. */
  private void evict(Connection connection, Exception why) {
    if (why instanceof SQLException e && dialect.isBroken(e)) {
      pool.evictConnection(connection);
      pool.getHikariPoolMXBean().softEvictConnections();
    }
  }

  /** Why the last change could not be written; empty if it could. */
  String writeFailure() {
    return writes.failure();
  }

  /** Writes something that changes nothing, to learn whether changes can be written again. */
  void probeWrites() throws SQLException {
    try {
      changeDurably(
          "",
          connection -> {
            try (PreparedStatement write = connection.prepareStatement(PROBE)) {
              return write.executeUpdate();
            }
          });
    } catch (DatabaseException e) {
      LOG.log(Level.DEBUG, "still not writable", e);
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
    try {
      try {
        return readOnce(work);
      } catch (SQLException e) {
        if (!dialect.isClosed(e)) {
          throw e;
        }
        return readOnce(work);
      }
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  private <T> T readOnce(Work<T> work) throws SQLException {
    inUse.lock();
    try (Connection connection = pool.getConnection()) {
      try {
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        T result = work.in(connection);
        connection.rollback();
        return result;
      } catch (SQLException e) {
        evict(connection, e);
        throw e;
      }
    } finally {
      inUse.unlock();
    }
  }

  /**
   * Compacts an embedded database whose file has grown much, while nobody uses it.
   *
   * @param connection the caller's own, which is closed by it
   * @return whether it was compacted
   */
  boolean compactIfGrown(Connection connection) throws SQLException {
    Optional<Path> file = dialect.growingFile(connection);
    if (file.isEmpty() || size(file.get()) < Math.max(minCompacted, GROWTH * compactedSize)) {
      return false;
    }
    compacting.lock();
    try {
      dialect.compact(connection);
      pool.getHikariPoolMXBean().softEvictConnections();
      compactedSize = size(file.get());
      return true;
    } finally {
      compacting.unlock();
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0; // removed by hand: there is nothing to make small
    }
  }

  /** A connection of the caller's own, with the schema up to date, that hears of changes. */
  Connection listen() throws SQLException {
    Connection connection = DriverManager.getConnection(url, dialect.properties());
    try {
      connection.setAutoCommit(false);
      dialect.prepare(connection);
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
