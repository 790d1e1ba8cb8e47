package io.weir.rules;

import java.io.IOException;

/** Thrown for a file that is not read because of its type or size. */
final class RejectedFileException extends IOException {
  private static final long serialVersionUID = 1;

  RejectedFileException(String reason) {
    super(reason);
  }
}
