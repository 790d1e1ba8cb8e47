package io.weir.rules.database;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.Set;

/** Tracks whether a database is writable, and logs when that changes. Thread-safe. */
final class WriteHealth {
  private static final Logger LOG = System.getLogger(WriteHealth.class.getName());

  /** Classes of SQL states caused by the change itself: data, constraints, conflicts. */
  private static final Set<String> CHANGE_FAILURES = Set.of("22", "23", "40");

  private final String database;
  private volatile String failure = "";

  WriteHealth(String database) {
    this.database = database;
  }

  /** Returns why the last change could not be written; empty if it could. */
  String failure() {
    return failure;
  }

  void writeSucceeded() {
    if (!failure.isEmpty()) {
      failure = "";
      LOG.log(Level.INFO, "{0} is writable again", database);
    }
  }

  void writeFailed(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    if (CHANGE_FAILURES.contains(state.substring(0, Math.min(2, state.length())))) {
      return;
    }
    boolean first = failure.isEmpty();
    failure = DatabaseException.oneLine(String.valueOf(e.getMessage()));
    if (first) {
      LOG.log(
          Level.WARNING,
          "{0} is not writable, changes are rejected until a retry succeeds: {1}",
          database,
          failure);
    }
  }
}
