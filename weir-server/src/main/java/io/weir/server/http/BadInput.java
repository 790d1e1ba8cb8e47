package io.weir.server.http;

/** What a caller sent cannot be; the message says what to send instead. */
final class BadInput extends Exception {
  private static final long serialVersionUID = 1;

  BadInput(String reason) {
    super(reason, null, false, false); // nobody reads its stack
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}
