package io.weir.cli;

/** The failure of a command: a one-line message that also names the remedy. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CommandException(String reason) {
    super(reason);
  }

  CommandException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
