package io.weir.internal.rule;

import java.util.Locale;

/** How a rule decides a request that it matches: by a counter, or without one. */
public enum Verdict {
  /** A counter decides. */
  COUNT,
  /** Admitted by a rule with the action {@code allow}. */
  ALLOW,
  /** Refused by a rule with the action {@code block}. */
  BLOCK,
  /** Refused because it lacks an attribute that the rule counts per. */
  REFUSE_MISSING;

  private final String code = name().toLowerCase(Locale.ROOT);

  /** Returns the verdict as responses contain it, such as {@code block}. */
  public String code() {
    return code;
  }
}
