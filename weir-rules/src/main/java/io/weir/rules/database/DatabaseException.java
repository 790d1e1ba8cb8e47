package io.weir.rules.database;

/** The database did not do what it was asked, and nothing was changed; the message is one line. */
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
