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
import org.h2.api.ErrorCode;
import org.postgresql.PGConnection;

/** The differences between the supported databases. */
enum SqlDialect {
  POSTGRESQL("jdbc:postgresql:") {
    private static final int MIN_VERSION = 14;

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
      if (version < MIN_VERSION) {
        throw new SQLException(
            "must be PostgreSQL " + MIN_VERSION + " or newer (was " + version + ")");
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
    boolean awaitNotification(Connection connection, Duration timeout) throws SQLException {
      var unused = connection.unwrap(PGConnection.class).getNotifications((int) timeout.toMillis());
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

    // the durability of a commit is set by synchronous_commit of the database
    @Override
    void syncToDisk(Connection connection) {}

    @Override
    boolean isClosed(SQLException e) {
      return false;
    }

    // the pool recognizes the error states of PostgreSQL itself
    @Override
    boolean isBroken(SQLException e) {
      return false;
    }
  },

  H2("jdbc:h2:") {
    @Override
    Properties connectionProperties() {
      return new Properties();
    }

    // one process has the file; its nodes are serialized by the lock of Migrations
    @Override
    void lockSchema(Connection connection) {}

    @Override
    void subscribe(Connection connection) {}

    @Override
    String actorStatement() {
      return "CALL SET(@weir_who, ?)";
    }

    @Override
    boolean awaitNotification(Connection connection, Duration timeout) {
      return false;
    }

    // H2 has no abort; and until the last connection is closed the file stays open
    @Override
    void abort(Connection connection) throws SQLException {
      connection.close();
    }

    // After a crash H2 finds the last chunk by its position, and misses one that was written into
    // reused space (seen with 2.5.252): the last commits are lost. So space is not reused, and the
    // file is compacted as a whole when it has grown.
    @Override
    String durableUrl(String url) {
      boolean isSet = url.toUpperCase(Locale.ROOT).contains(";REUSE_SPACE=");
      return isSet || !isFile(url) ? url : url + ";REUSE_SPACE=FALSE";
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

    // H2 writes a new file and replaces this one
    @Override
    void compact(Connection connection) throws SQLException {
      execute(connection, "SHUTDOWN COMPACT");
    }

    // otherwise a commit returns up to half a second before anything is written, and a failed
    // background write is not reported
    @Override
    void enableDurability(Connection connection) throws SQLException {
      execute(connection, "SET WRITE_DELAY 0");
    }

    // a commit writes the file, this statement forces it to the disk
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

  SqlDialect(String urlPrefix) {
    this.urlPrefix = urlPrefix;
  }

  static SqlDialect of(String url) {
    for (SqlDialect dialect : values()) {
      if (url.startsWith(dialect.urlPrefix)) {
        return dialect;
      }
    }
    throw new IllegalArgumentException(
        "the database must be PostgreSQL or H2 (was '%s'), for example jdbc:postgresql://host/database or jdbc:h2:file:./path"
            .formatted(Database.withoutCredentials(url)));
  }

  /**
   * Returns whether changes of this process must run one after the other. H2 2.5.252 loses about
   * one in 10,000 concurrent updates of a row if commits are written at once, even if each
   * transaction locks the row first.
   */
  boolean needsSerializedChanges() {
    return this == H2;
  }

  /** Returns the folder of the migration scripts of this database. */
  String scriptFolder() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the default connection properties, which the URL can override. */
  abstract Properties connectionProperties();

  /** Locks the schema against migrations by other nodes until the transaction ends. */
  abstract void lockSchema(Connection connection) throws SQLException;

  /** Subscribes a connection to change notifications. */
  abstract void subscribe(Connection connection) throws SQLException;

  /** Returns the statement that sets the author of a transaction for the triggers. */
  abstract String actorStatement();

  /** Waits for a change notification; returns false if the database does not support them. */
  abstract boolean awaitNotification(Connection connection, Duration timeout) throws SQLException;

  /** Closes a connection, which may be broken, without waiting for a response. */
  abstract void abort(Connection connection) throws SQLException;

  /** Returns the URL with which commits survive a crash. */
  abstract String durableUrl(String url);

  /** Returns the database file that grows with every change and can be compacted, if any. */
  abstract Optional<Path> compactableFile(Connection connection) throws SQLException;

  /** Compacts that file and closes the database; a new connection opens it again. */
  abstract void compact(Connection connection) throws SQLException;

  /** Enables durable commits; called on each listening connection. */
  abstract void enableDurability(Connection connection) throws SQLException;

  /** Returns when all committed changes are on the disk. */
  abstract void syncToDisk(Connection connection) throws SQLException;

  /** Whether a failed write closed the database; a new connection opens it again. */
  abstract boolean isClosed(SQLException e);

  /** Whether all connections of the pool are unusable after this failure. */
  abstract boolean isBroken(SQLException e);

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
