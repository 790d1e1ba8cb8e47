package io.weir.rules.database;

/**
 * Thrown if the database is unavailable or fails; the message is one line.
 *
 * <p>Nothing was changed then, except if the connection broke during the commit of a change: then
 * the history shows whether it was committed.
 */
public final class DatabaseException extends RuntimeException {
  private static final long serialVersionUID = 1;

  DatabaseException(String message, Throwable cause) {
    super(oneLine(message), cause);
  }

  DatabaseException(String message) {
    super(oneLine(message));
  }

  static String oneLine(String text) {
    return text.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
