package io.weir;

import io.weir.internal.rule.Limit;
import io.weir.internal.rule.Verdict;
import io.weir.internal.store.ClaimOutcome;
import java.util.Locale;

/** Why a request was not admitted. */
public enum RefusalReason {
  /** A limit has too few permits left; waiting helps. */
  RATE_LIMITED,
  /** The cost is above the limit, so that waiting is futile. */
  COST_EXCEEDS_LIMIT,
  /** The store has no answer and the fallback of the rule is {@code closed}. */
  STORE_UNAVAILABLE,
  /** A rule with the action {@code block} matches. */
  BLOCKED,
  /** It lacks an attribute that a rule with {@code missing: refuse} counts per. */
  MISSING_ATTRIBUTE;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** Returns the reason as it is written in responses and logs, such as {@code rate_limited}. */
  public String code() {
    return code;
  }

  /** Returns the reason of an outcome that does not admit a claim on a limit. */
  public static RefusalReason of(Limit limit, ClaimOutcome outcome) {
    if (!limit.isCounted()) {
      return limit.verdict() == Verdict.BLOCK ? BLOCKED : MISSING_ATTRIBUTE;
    }
    if (outcome.costExceedsLimit()) {
      return COST_EXCEEDS_LIMIT;
    }
    return outcome.isUnknownRefusal() ? STORE_UNAVAILABLE : RATE_LIMITED;
  }
}
