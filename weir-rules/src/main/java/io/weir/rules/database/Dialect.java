package io.weir.rules.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;
import org.postgresql.PGConnection;

/** What differs between the databases. */
enum Dialect {
  POSTGRESQL("jdbc:postgresql:") {
    private static final int OLDEST = 14;

    @Override
    Properties properties() {
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
    void listen(Connection connection) throws SQLException {
      execute(connection, "LISTEN weir");
    }

    @Override
    String actFor() {
      return "SELECT set_config('weir.who', ?, true)";
    }

    @Override
    boolean await(Connection connection, Duration most) throws SQLException {
      var unused = connection.unwrap(PGConnection.class).getNotifications((int) most.toMillis());
      return true;
    }

    @Override
    void drop(Connection connection) throws SQLException {
      connection.abort(Runnable::run);
    }
  },

  H2("jdbc:h2:") {
    @Override
    Properties properties() {
      return new Properties();
    }

    // one process has the file; its nodes take turns by the lock of Migrations
    @Override
    void lockSchema(Connection connection) {}

    @Override
    void listen(Connection connection) {}

    @Override
    String actFor() {
      return "CALL SET(@weir_who, ?)";
    }

    @Override
    boolean await(Connection connection, Duration most) {
      return false;
    }

    // knows no abort; and until the last connection is closed the file stays open
    @Override
    void drop(Connection connection) throws SQLException {
      connection.close();
    }
  };

  private final String prefix;

  Dialect(String prefix) {
    this.prefix = prefix;
  }

  static Dialect of(String url) {
    for (Dialect dialect : values()) {
      if (url.startsWith(dialect.prefix)) {
        return dialect;
      }
    }
    throw new IllegalArgumentException(
        "'%s' is no database known here; write jdbc:postgresql://host/database or jdbc:h2:file:./path"
            .formatted(Database.shown(url)));
  }

  /** The folder of the scripts that are for it alone. */
  String folder() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Defaults of a connection, where the URL does not say otherwise. */
  abstract Properties properties();

  /** Makes other nodes wait with the schema until the transaction ends. */
  abstract void lockSchema(Connection connection) throws SQLException;

  /** Makes this connection hear of every change. */
  abstract void listen(Connection connection) throws SQLException;

  /** Says to the triggers, in this transaction, who makes the change. */
  abstract String actFor();

  /** Waits until a change is heard of, but no longer than this; false if none ever is. */
  abstract boolean await(Connection connection, Duration most) throws SQLException;

  /** Ends a connection, which may be broken, without waiting for an answer. */
  abstract void drop(Connection connection) throws SQLException;

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
