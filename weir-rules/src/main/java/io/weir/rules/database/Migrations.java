package io.weir.rules.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Migrates the schema: runs the pending scripts in their order, one node at a time. */
final class Migrations {
  private static final List<String> SCRIPTS =
      List.of("V1__rules.sql", "V2__keys.sql", "%s/V3__edits.sql", "V4__traffic.sql");

  private Migrations() {}

  /** Runs in its own transaction; on PostgreSQL a script is applied as a whole or not at all. */
  static synchronized void run(Connection connection, SqlDialect dialect) throws SQLException {
    dialect.lockSchema(connection);
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE IF NOT EXISTS weir_schema (version INT PRIMARY KEY)");
      int version = version(statement);
      if (version > SCRIPTS.size()) {
        throw new SQLException(
            "has schema version %d, this version of Weir supports up to %d; update Weir"
                .formatted(version, SCRIPTS.size()));
      }
      for (int next = version; next < SCRIPTS.size(); next++) {
        statement.execute(script(SCRIPTS.get(next).formatted(dialect.scriptFolder())));
        statement.execute("INSERT INTO weir_schema (version) VALUES (" + (next + 1) + ")");
      }
    }
  }

  private static int version(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT MAX(version) FROM weir_schema")) {
      return row.next() ? row.getInt(1) : 0;
    }
  }

  private static String script(String name) {
    try (InputStream script = Migrations.class.getResourceAsStream(name)) {
      if (script == null) {
        throw new IllegalStateException(name + " is missing from the jar");
      }
      return new String(script.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
