package io.weir.server;

/** Thrown if the server cannot start; the one-line message says what to change. */
public final class StartException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StartException(String reason) {
    super(reason);
  }

  public StartException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
