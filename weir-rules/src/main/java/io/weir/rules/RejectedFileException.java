package io.weir.rules;

import java.io.IOException;

/** A file that is not read as rules, whatever it holds. */
final class RejectedFileException extends IOException {
  private static final long serialVersionUID = 1;

  RejectedFileException(String reason) {
    super(reason);
  }
}
