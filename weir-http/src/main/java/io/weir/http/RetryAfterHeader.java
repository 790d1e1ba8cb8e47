package io.weir.http;

import io.weir.Decision;

/** How long a refused caller is told to wait, in whole seconds. */
final class RetryAfterHeader {
  /** It was not refused, or waiting does not help. */
  static final long NONE = 0;

  private RetryAfterHeader() {}

  /** Rounded up and at least 1; {@link #NONE} if it was admitted or can never be. */
  static long seconds(Decision decision) {
    if (decision.allowed() || decision.costExceedsLimit()) {
      return NONE;
    }
    return Math.max(
        1, DurationRounding.ceilToSeconds(decision.outcome(decision.bindingIndex()).retryAfter()));
  }
}
