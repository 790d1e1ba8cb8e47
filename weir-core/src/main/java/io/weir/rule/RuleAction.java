package io.weir.rule;

/** What a rule does with the requests that it matches. */
public enum RuleAction {
  /** Admits them, whatever other rules say (exemption). */
  ALLOW,
  /** Refuses them, unless a rule allows them. */
  BLOCK,
  /** Counts them and enforces its limits. */
  LIMIT
}
