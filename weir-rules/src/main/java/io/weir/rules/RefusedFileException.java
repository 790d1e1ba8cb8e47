package io.weir.rules;

import java.io.IOException;

/** A file that is not read as rules, whatever it holds. */
final class RefusedFileException extends IOException {
  private static final long serialVersionUID = 1;

  RefusedFileException(String reason) {
    super(reason);
  }
}
