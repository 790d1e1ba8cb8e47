package io.weir.rule;

/** What a rule does with a request that lacks an attribute the rule counts per. */
public enum MissingAttributePolicy {
  /** Counts it by its address; skips it if the address is unknown, too. */
  ADDRESS,
  /** Does not apply to it. */
  SKIP,
  /** Refuses it. */
  REFUSE
}
