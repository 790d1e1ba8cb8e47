package io.weir;

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
}
