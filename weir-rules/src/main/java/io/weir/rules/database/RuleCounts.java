package io.weir.rules.database;

/**
 * The number of decisions of a rule in a period, by result.
 *
 * @param rule the id of the rule; empty for several rules together, {@link #WHOLE_REQUESTS} for the
 *     results of whole requests
 */
public record RuleCounts(String rule, long allowed, long refused, long shadowRefused) {
  /** The id for counts of whole requests; no rule can have it. */
  public static final String WHOLE_REQUESTS = "*";

  /** Returns zero counts for a rule. */
  public static RuleCounts zero(String rule) {
    return new RuleCounts(rule, 0, 0, 0);
  }

  /** Returns the sum of both, under the id of this one. */
  public RuleCounts plus(RuleCounts other) {
    return new RuleCounts(
        rule,
        allowed + other.allowed,
        refused + other.refused,
        shadowRefused + other.shadowRefused);
  }

  /** Returns the difference to earlier counts. */
  public RuleCounts minus(RuleCounts earlier) {
    return new RuleCounts(
        rule,
        allowed - earlier.allowed,
        refused - earlier.refused,
        shadowRefused - earlier.shadowRefused);
  }

  public long total() {
    return allowed + refused + shadowRefused;
  }
}
