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
  private static final String PROBE_UPDATE =
      "UPDATE weir_schema SET version = version WHERE version = 1";
  private static final long MIN_COMPACTION_BYTES = 32 << 20;
  private static final int COMPACTION_GROWTH_FACTOR = 4;
  private static final int MAX_CONNECTIONS = 4;
  private static final long CONNECTION_TIMEOUT_MILLIS = 3_000;

  private final String url;
  private final SqlDialect dialect;
  private final HikariDataSource pool;
  private final WriteHealth writeHealth;
  private final Lock useLock;
  private final Lock compactionLock;
  private long compactedBytes;
  private final long minCompactionBytes;

  Database(String url) {
    this(url, MIN_COMPACTION_BYTES);
  }

  /**
   * @param minCompacted the size from which on the file of an embedded database is compacted
   */
  Database(String url, long minCompacted) {
    this.minCompactionBytes = minCompacted;
    dialect = SqlDialect.of(url);
    this.url = dialect.durableUrl(url);
    writeHealth = new WriteHealth(withoutCredentials(url));
    ReadWriteLock use = new ReentrantReadWriteLock();
    useLock = use.readLock();
    compactionLock = use.writeLock();
    HikariConfig config = new HikariConfig();
    config.setPoolName("weir-rules");
    config.setJdbcUrl(this.url);
    config.setDataSourceProperties(dialect.connectionProperties());
    config.setMaximumPoolSize(MAX_CONNECTIONS);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
    config.setValidationTimeout(CONNECTION_TIMEOUT_MILLIS / 3);
    config.setInitializationFailTimeout(-1);
    config.setAutoCommit(false);
    pool = new HikariDataSource(config);
  }

  /** Work in a transaction. */
  @FunctionalInterface
  interface TransactionWork<T> {
    T run(Connection connection) throws SQLException;
  }

  /**
   * Does some work, which is kept whole if it returns and not at all if it throws.
   *
   * @param who whom the history names for it
   * @throws DatabaseException if the database did not do it, or has not said that it did
   */
  <T> T change(String who, TransactionWork<T> work) {
    return change(who, work, false);
  }

  /**
   * As {@link #change}, and returns only when the change would survive a crash of this process and,
   * as far as the database says so, of the machine.
   */
  <T> T changeDurably(String who, TransactionWork<T> work) {
    return change(who, work, true);
  }

  private <T> T change(String who, TransactionWork<T> work, boolean durable) {
    TransactionAttempt<T> first = new TransactionAttempt<>(who, work, durable);
    try {
      T result;
      try {
        result = first.run();
      } catch (SQLException e) {
        if (first.committing || !dialect.isClosed(e)) {
          throw e;
        }
        // another's failed write closed it before this one began to commit
        result = new TransactionAttempt<>(who, work, durable).run();
      }
      writeHealth.writeSucceeded();
      return result;
    } catch (SQLException e) {
      writeHealth.writeFailed(e);
      throw toException(e);
    }
  }

  /** One transaction that changes something. */
  private final class TransactionAttempt<T> {
    private final String who;
    private final TransactionWork<T> work;
    private final boolean durable;
    private boolean committing;

    TransactionAttempt(String who, TransactionWork<T> work, boolean durable) {
      this.who = who;
      this.work = work;
      this.durable = durable;
    }

    T run() throws SQLException {
      useLock.lock();
      dialect.changeLock().lock();
      try (Connection connection = pool.getConnection()) {
        try {
          setActor(connection, who);
          T result = work.run(connection);
          committing = true;
          connection.commit();
          if (durable) {
            dialect.syncToDisk(connection);
          }
          return result;
        } catch (SQLException | RuntimeException e) {
          rollback(connection, e);
          evictIfBroken(connection, e);
          throw e;
        }
      } finally {
        dialect.changeLock().unlock();
        useLock.unlock();
      }
    }
  }

  /** The pool takes connections to a closed embedded database for good ones. */
  private void evictIfBroken(Connection connection, Exception why) {
    if (why instanceof SQLException e && dialect.isBroken(e)) {
      pool.evictConnection(connection);
      pool.getHikariPoolMXBean().softEvictConnections();
    }
  }

  /** Why the last change could not be written; empty if it could. */
  String writeFailure() {
    return writeHealth.failure();
  }

  /** Writes something that changes nothing, to learn whether changes can be written again. */
  void probeWrites() throws SQLException {
    try {
      changeDurably(
          "",
          connection -> {
            try (PreparedStatement write = connection.prepareStatement(PROBE_UPDATE)) {
              return write.executeUpdate();
            }
          });
    } catch (DatabaseException e) {
      LOG.log(Level.DEBUG, "still not writable", e);
    }
  }

  private void setActor(Connection connection, String who) throws SQLException {
    try (PreparedStatement say = connection.prepareStatement(dialect.actorStatement())) {
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
  <T> T read(TransactionWork<T> work) {
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
      throw toException(e);
    }
  }

  private <T> T readOnce(TransactionWork<T> work) throws SQLException {
    useLock.lock();
    try (Connection connection = pool.getConnection()) {
      try {
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        T result = work.run(connection);
        connection.rollback();
        return result;
      } catch (SQLException e) {
        evictIfBroken(connection, e);
        throw e;
      }
    } finally {
      useLock.unlock();
    }
  }

  /**
   * Compacts an embedded database whose file has grown much, while nobody uses it.
   *
   * @param connection the caller's own, which is closed by it
   * @return whether it was compacted
   */
  boolean compactIfGrown(Connection connection) throws SQLException {
    Optional<Path> file = dialect.compactableFile(connection);
    if (file.isEmpty()
        || fileSize(file.get())
            < Math.max(minCompactionBytes, COMPACTION_GROWTH_FACTOR * compactedBytes)) {
      return false;
    }
    compactionLock.lock();
    try {
      dialect.compact(connection);
      pool.getHikariPoolMXBean().softEvictConnections();
      compactedBytes = fileSize(file.get());
      return true;
    } finally {
      compactionLock.unlock();
    }
  }

  private static long fileSize(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0; // removed by hand: there is nothing to make small
    }
  }

  /** A connection of the caller's own, with the schema up to date, that hears of changes. */
  Connection openListeningConnection() throws SQLException {
    Connection connection = DriverManager.getConnection(url, dialect.connectionProperties());
    try {
      connection.setAutoCommit(false);
      dialect.enableDurability(connection);
      Migrations.run(connection, dialect);
      connection.commit();
      connection.setAutoCommit(true);
      dialect.subscribe(connection);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  SqlDialect dialect() {
    return dialect;
  }

  DatabaseException toException(SQLException e) {
    return new DatabaseException(this + ": " + e.getMessage(), e);
  }

  /** Without what follows the address, which may hold a password. */
  static String withoutCredentials(String url) {
    return url.replaceAll("[?;].*", "").replaceAll("//[^/@]*@", "//");
  }

  @Override
  public String toString() {
    return withoutCredentials(url);
  }

  @Override
  public void close() {
    pool.close();
  }
}
