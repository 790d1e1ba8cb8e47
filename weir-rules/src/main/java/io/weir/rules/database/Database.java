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
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Connections to a database that may be unavailable, and atomic transactions. Thread-safe. */
final class Database implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Database.class.getName());
  private static final String PROBE_UPDATE =
      "UPDATE weir_schema SET version = version WHERE version = 1";
  private static final long MIN_COMPACTION_BYTES = 32 << 20;
  private static final int COMPACTION_GROWTH_FACTOR = 4;
  private static final int MAX_CONNECTIONS = 4;
  private static final long CONNECTION_TIMEOUT_MILLIS = 3_000;

  /** Serializes the changes of all databases of this process that need it. */
  private static final Lock SERIALIZED_CHANGES = new ReentrantLock();

  private final String url;
  private final SqlDialect dialect;
  private final HikariDataSource pool;
  private final WriteHealth writeHealth;
  private final Lock useLock;
  private final Lock changeLock;
  private final Lock compactionLock;
  private long compactedBytes;
  private final long minCompactionBytes;

  Database(String url) {
    this(url, MIN_COMPACTION_BYTES);
  }

  /**
   * @param minCompactionBytes the minimum size, in bytes, at which the file of an embedded database
   *     is compacted
   */
  Database(String url, long minCompactionBytes) {
    this.minCompactionBytes = minCompactionBytes;
    dialect = SqlDialect.of(url);
    this.url = dialect.durableUrl(url);
    writeHealth = new WriteHealth(withoutCredentials(url));
    ReadWriteLock lock = new ReentrantReadWriteLock();
    useLock = lock.readLock();
    changeLock = dialect.needsSerializedChanges() ? SERIALIZED_CHANGES : useLock;
    compactionLock = lock.writeLock();
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
   * Runs some work in a transaction, which is committed if the work returns and rolled back if it
   * throws.
   *
   * @param who the author for the history
   * @throws DatabaseException if the database failed, or did not confirm the commit
   */
  <T> T change(String who, TransactionWork<T> work) {
    return change(who, work, false);
  }

  /**
   * As {@link #change}, and returns only when the change would survive a crash of this process and,
   * as far as the database guarantees it, of the machine.
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
        // a failed write of another thread closed the database before this one began to commit
        result = new TransactionAttempt<>(who, work, durable).run();
      }
      writeHealth.writeSucceeded();
      return result;
    } catch (SQLException e) {
      writeHealth.writeFailed(e);
      throw toException(e);
    }
  }

  /** One attempt of a writing transaction. */
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
      changeLock.lock();
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
        changeLock.unlock();
        useLock.unlock();
      }
    }
  }

  /**
   * The pool considers connections to a closed embedded database valid, so they are evicted here.
   */
  private void evictIfBroken(Connection connection, Exception cause) {
    if (cause instanceof SQLException e && dialect.isBroken(e)) {
      pool.evictConnection(connection);
      pool.getHikariPoolMXBean().softEvictConnections();
    }
  }

  /** Returns why the last change could not be written; empty if it could. */
  String writeFailure() {
    return writeHealth.failure();
  }

  /** Runs an update that changes nothing, to find out whether the database is writable again. */
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
      LOG.log(Level.DEBUG, "the database is still not writable", e);
    }
  }

  private void setActor(Connection connection, String who) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(dialect.actorStatement())) {
      statement.setString(1, who);
      statement.execute();
    }
  }

  private static void rollback(Connection connection, Exception cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  /** Runs work that only reads, on a consistent snapshot of the database. */
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
   * Compacts an embedded database whose file has grown to 4 times its compacted size, while no
   * other thread uses it.
   *
   * @param connection a connection of the caller, which is closed by the compaction
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
      return 0; // deleted manually: there is nothing to compact
    }
  }

  /**
   * Opens a connection outside the pool that receives change notifications; migrates the schema.
   */
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

  /** Returns a URL without its parameters and user info, which may contain a password. */
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
