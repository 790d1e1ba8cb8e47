package io.weir.rules.database;

/**
 * The database did not do what it was asked; the message is one line.
 *
 * <p>Nothing is changed then, except if the connection broke just while a change was committed: the
 * history tells.
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
