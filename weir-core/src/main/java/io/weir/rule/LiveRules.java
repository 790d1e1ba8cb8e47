package io.weir.rule;

import java.util.Collection;

/**
 * Rules that can be replaced at runtime; each request sees one consistent rule set. Thread-safe.
 */
public final class LiveRules implements RuleSource {
  private volatile RuleSet current;

  public LiveRules(Collection<Rule> rules) {
    current = RuleSet.of(1, rules);
  }

  @Override
  public RuleSet current() {
    return current;
  }

  /**
   * Replaces the rules and increments the revision.
   *
   * @throws IllegalArgumentException if the rules are not valid; the current rules then stay active
   */
  public synchronized RuleSet replace(Collection<Rule> rules) {
    current = RuleSet.of(current.revision() + 1, rules);
    return current;
  }
}
