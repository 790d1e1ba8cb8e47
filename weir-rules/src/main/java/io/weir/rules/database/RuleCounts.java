package io.weir.rules.database;

/**
 * What a rule said in some time, in decisions.
 *
 * @param rule its id; empty for several rules together, {@link #WHOLE_REQUESTS} for what became of
 *     whole requests
 */
public record RuleCounts(String rule, long allowed, long refused, long shadowRefused) {
  /** No rule can have this id. */
  public static final String WHOLE_REQUESTS = "*";

  /** A rule that said nothing. */
  public static RuleCounts zero(String rule) {
    return new RuleCounts(rule, 0, 0, 0);
  }

  /** Both together, under the name of this one. */
  public RuleCounts plus(RuleCounts more) {
    return new RuleCounts(
        rule, allowed + more.allowed, refused + more.refused, shadowRefused + more.shadowRefused);
  }

  /** What was said since another time at which it had said that much. */
  public RuleCounts minus(RuleCounts before) {
    return new RuleCounts(
        rule,
        allowed - before.allowed,
        refused - before.refused,
        shadowRefused - before.shadowRefused);
  }

  public long total() {
    return allowed + refused + shadowRefused;
  }
}
