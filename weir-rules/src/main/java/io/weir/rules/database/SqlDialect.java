package io.weir.rules.database;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.h2.api.ErrorCode;
import org.postgresql.PGConnection;

/** What differs between the databases. */
enum SqlDialect {
  POSTGRESQL("jdbc:postgresql:", new ReentrantReadWriteLock().readLock()) {
    private static final int OLDEST = 14;

    @Override
    Properties connectionProperties() {
      Properties properties = new Properties();
      properties.setProperty("ApplicationName", "weir");
      properties.setProperty("connectTimeout", "2");
      properties.setProperty("loginTimeout", "3");
      properties.setProperty("socketTimeout", "5");
      properties.setProperty("tcpKeepAlive", "true");
      return properties;
    }

    @Override
    void lockSchema(Connection connection) throws SQLException {
      int version = connection.getMetaData().getDatabaseMajorVersion();
      if (version < OLDEST) {
        throw new SQLException("is PostgreSQL " + version + "; use " + OLDEST + " or newer");
      }
      execute(connection, "SELECT pg_advisory_xact_lock(8387233)");
    }

    @Override
    void subscribe(Connection connection) throws SQLException {
      execute(connection, "LISTEN weir");
    }

    @Override
    String actorStatement() {
      return "SELECT set_config('weir.who', ?, true)";
    }

    @Override
    boolean awaitNotification(Connection connection, Duration most) throws SQLException {
      var unused = connection.unwrap(PGConnection.class).getNotifications((int) most.toMillis());
      return true;
    }

    @Override
    void abort(Connection connection) throws SQLException {
      connection.abort(Runnable::run);
    }

    @Override
    String durableUrl(String url) {
      return url;
    }

    @Override
    Optional<Path> compactableFile(Connection connection) {
      return Optional.empty();
    }

    @Override
    void compact(Connection connection) {}

    @Override
    void enableDurability(Connection connection) {}

    // a commit is as durable as synchronous_commit of the database makes it
    @Override
    void syncToDisk(Connection connection) {}

    @Override
    boolean isClosed(SQLException e) {
      return false;
    }

    // the pool knows its error states itself
    @Override
    boolean isBroken(SQLException e) {
      return false;
    }
  },

  H2("jdbc:h2:", new ReentrantLock()) {
    @Override
    Properties connectionProperties() {
      return new Properties();
    }

    // one process has the file; its nodes take turns by the lock of Migrations
    @Override
    void lockSchema(Connection connection) {}

    @Override
    void subscribe(Connection connection) {}

    @Override
    String actorStatement() {
      return "CALL SET(@weir_who, ?)";
    }

    @Override
    boolean awaitNotification(Connection connection, Duration most) {
      return false;
    }

    // knows no abort; and until the last connection is closed the file stays open
    @Override
    void abort(Connection connection) throws SQLException {
      connection.close();
    }

    // After a crash H2 finds the last chunk by its place, and misses one that was written into
    // space that was free before (seen with 2.5.252): the last commits are gone. So no space is
    // used again, and the file is compacted as a whole when it has grown.
    @Override
    String durableUrl(String url) {
      boolean said = url.toUpperCase(Locale.ROOT).contains(";REUSE_SPACE=");
      return said || !isFile(url) ? url : url + ";REUSE_SPACE=FALSE";
    }

    private boolean isFile(String url) {
      return URLS_WITHOUT_FILE.stream().noneMatch(url::startsWith);
    }

    @Override
    Optional<Path> compactableFile(Connection connection) throws SQLException {
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT DATABASE_PATH()")) {
        String path = row.next() ? row.getString(1) : null;
        return Optional.ofNullable(path).map(file -> Path.of(file + ".mv.db"));
      }
    }

    // writes another file and puts it in the place of this one
    @Override
    void compact(Connection connection) throws SQLException {
      execute(connection, "SHUTDOWN COMPACT");
    }

    // else a commit returns up to half a second before anything is written, and a write that
    // fails in the background is reported to nobody
    @Override
    void enableDurability(Connection connection) throws SQLException {
      execute(connection, "SET WRITE_DELAY 0");
    }

    // a commit writes the file, this forces it to the disk
    @Override
    void syncToDisk(Connection connection) throws SQLException {
      execute(connection, "CHECKPOINT SYNC");
    }

    @Override
    boolean isClosed(SQLException e) {
      return e.getErrorCode() == ErrorCode.DATABASE_IS_CLOSED
          || e.getErrorCode() == ErrorCode.OBJECT_CLOSED;
    }

    @Override
    boolean isBroken(SQLException e) {
      return switch (e.getErrorCode()) {
        case ErrorCode.DATABASE_IS_CLOSED,
            ErrorCode.GENERAL_ERROR_1,
            ErrorCode.IO_EXCEPTION_1,
            ErrorCode.IO_EXCEPTION_2,
            ErrorCode.FILE_CORRUPTED_1,
            ErrorCode.CONNECTION_BROKEN_1,
            ErrorCode.OBJECT_CLOSED ->
            true;
        default -> false;
      };
    }
  };

  private static final List<String> URLS_WITHOUT_FILE =
      List.of("jdbc:h2:mem:", "jdbc:h2:tcp:", "jdbc:h2:ssl:", "jdbc:h2:zip:");

  private final String urlPrefix;
  private final Lock changeLock;

  SqlDialect(String prefix, Lock changeLock) {
    this.urlPrefix = prefix;
    this.changeLock = changeLock;
  }

  static SqlDialect of(String url) {
    for (SqlDialect dialect : values()) {
      if (url.startsWith(dialect.urlPrefix)) {
        return dialect;
      }
    }
    throw new IllegalArgumentException(
        "'%s' is no database known here; write jdbc:postgresql://host/database or jdbc:h2:file:./path"
            .formatted(Database.withoutCredentials(url)));
  }

  /**
   * The lock to hold during a change; exclusive for an embedded database. H2 2.5.252 loses updates
   * of one row by several transactions, about one in 10,000 if commits are written at once, even if
   * each locks the row first.
   */
  Lock changeLock() {
    return changeLock;
  }

  /** The folder of the scripts that are for it alone. */
  String scriptFolder() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Defaults of a connection, where the URL does not say otherwise. */
  abstract Properties connectionProperties();

  /** Makes other nodes wait with the schema until the transaction ends. */
  abstract void lockSchema(Connection connection) throws SQLException;

  /** Makes this connection hear of every change. */
  abstract void subscribe(Connection connection) throws SQLException;

  /** Says to the triggers, in this transaction, who makes the change. */
  abstract String actorStatement();

  /** Waits until a change is heard of, but no longer than this; false if none ever is. */
  abstract boolean awaitNotification(Connection connection, Duration most) throws SQLException;

  /** Ends a connection, which may be broken, without waiting for an answer. */
  abstract void abort(Connection connection) throws SQLException;

  /** The URL with which commits survive a crash. */
  abstract String durableUrl(String url);

  /** The file that grows with every change, if there is one and it may be compacted. */
  abstract Optional<Path> compactableFile(Connection connection) throws SQLException;

  /** Makes that file small again, and closes the database; a new connection opens it. */
  abstract void compact(Connection connection) throws SQLException;

  /** Readies the database for durable changes; on each connection that is made to follow it. */
  abstract void enableDurability(Connection connection) throws SQLException;

  /** Returns when all that was committed is on the disk. */
  abstract void syncToDisk(Connection connection) throws SQLException;

  /** Whether the database was closed by a failed write; a new connection opens it again. */
  abstract boolean isClosed(SQLException e);

  /** Whether no connection of the pool is of use any more. */
  abstract boolean isBroken(SQLException e);

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
