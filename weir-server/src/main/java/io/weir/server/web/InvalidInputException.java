package io.weir.server.web;

/** What a caller sent cannot be; the message says what to send instead. */
public final class InvalidInputException extends Exception {
  private static final long serialVersionUID = 1;

  public InvalidInputException(String reason) {
    super(reason, null, false, false); // nobody reads its stack
  }

  public String reason() {
    return String.valueOf(getMessage());
  }
}
