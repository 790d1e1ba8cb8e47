package io.weir.client;

import java.io.IOException;
import java.time.Duration;

/**
 * Thrown for a call that was not sent because it would have had to wait longer than its maximum
 * wait. It is an {@code IOException}, so callers can treat it like any call that timed out.
 */
public final class PacingException extends IOException {
  private static final long serialVersionUID = 1;

  private final Duration retryAfter;

  PacingException(String message, Duration retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }

  /** Returns the estimated time until a call may be sent; zero if unknown. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
