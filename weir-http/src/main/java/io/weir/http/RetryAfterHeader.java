package io.weir.http;

import io.weir.Decision;
import io.weir.RefusalReason;
import io.weir.internal.decision.EvaluatedDecision;

/** Computes the {@code Retry-After} header of a refusal, in whole seconds. */
final class RetryAfterHeader {
  /** The request was admitted, or waiting does not help. */
  static final long NONE = 0;

  private RetryAfterHeader() {}

  /**
   * Returns the time to wait, rounded up and at least 1; {@link #NONE} if the request was admitted
   * or can never be admitted.
   */
  static long seconds(Decision decision) {
    RefusalReason reason = decision.refusalReason().orElse(null);
    if (reason != RefusalReason.RATE_LIMITED && reason != RefusalReason.STORE_UNAVAILABLE) {
      return NONE;
    }
    return Math.max(
        1,
        DurationRounding.ceilToSeconds(
            EvaluatedDecision.of(decision)
                .outcome(EvaluatedDecision.of(decision).bindingIndex())
                .retryAfter()));
  }
}
