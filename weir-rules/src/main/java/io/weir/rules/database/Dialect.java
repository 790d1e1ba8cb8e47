package io.weir.rules.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
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
    void tell(Connection connection) throws SQLException {
      execute(connection, "NOTIFY weir");
    }

    @Override
    boolean await(Connection connection, Duration most) throws SQLException {
      var unused = connection.unwrap(PGConnection.class).getNotifications((int) most.toMillis());
      return true;
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
    void tell(Connection connection) {}

    @Override
    boolean await(Connection connection, Duration most) {
      return false;
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

  /** Defaults of a connection, where the URL does not say otherwise. */
  abstract Properties properties();

  /** Makes other nodes wait with the schema until the transaction ends. */
  abstract void lockSchema(Connection connection) throws SQLException;

  /** Makes this connection hear what others {@link #tell}. */
  abstract void listen(Connection connection) throws SQLException;

  /** Tells every node, once the transaction is committed, to look. */
  abstract void tell(Connection connection) throws SQLException;

  /** Waits until somebody tells something, but no longer than this; false if nobody ever does. */
  abstract boolean await(Connection connection, Duration most) throws SQLException;

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
