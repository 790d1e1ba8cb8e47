package io.weir.web;

/** Thrown if a request is malformed; the message says what to send instead. */
public final class InvalidInputException extends Exception {
  private static final long serialVersionUID = 1;

  public InvalidInputException(String reason) {
    super(reason, null, false, false); // the stack trace is never used
  }

  public String reason() {
    return String.valueOf(getMessage());
  }
}
