package io.weir.rules.database;

/**
 * What a rule said in some time, in decisions.
 *
 * @param rule its id; empty for several rules together, {@link #REQUESTS} for what became of whole
 *     requests
 */
public record Said(String rule, long allowed, long refused, long shadowRefused) {
  /** No rule can have this id. */
  public static final String REQUESTS = "*";

  /** A rule that said nothing. */
  public static Said nothing(String rule) {
    return new Said(rule, 0, 0, 0);
  }

  /** Both together, under the name of this one. */
  public Said plus(Said more) {
    return new Said(
        rule, allowed + more.allowed, refused + more.refused, shadowRefused + more.shadowRefused);
  }

  /** What was said since another time at which it had said that much. */
  public Said minus(Said before) {
    return new Said(
        rule,
        allowed - before.allowed,
        refused - before.refused,
        shadowRefused - before.shadowRefused);
  }

  public long total() {
    return allowed + refused + shadowRefused;
  }
}
