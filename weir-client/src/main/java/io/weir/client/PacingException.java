package io.weir.client;

import java.io.IOException;
import java.time.Duration;

/**
 * A call was not sent, since it would have had to wait longer than its caller would. An {@code
 * IOException}, for callers to treat like any call that could not be made in time.
 */
public final class PacingException extends IOException {
  private static final long serialVersionUID = 1;

  private final Duration retryAfter;

  PacingException(String message, Duration retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }

  /** In how long a call may be sent, as far as is known. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
