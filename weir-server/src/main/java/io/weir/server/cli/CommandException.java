package io.weir.server.cli;

/** Why a command cannot do what it was asked, in one line that says what to write instead. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CommandException(String reason) {
    super(reason);
  }

  CommandException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
