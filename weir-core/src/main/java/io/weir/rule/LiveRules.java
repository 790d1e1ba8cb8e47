package io.weir.rule;

import java.util.Collection;

/**
 * Rules that can be replaced while requests are decided; each request sees one whole snapshot.
 *
 * <p>Safe for any number of threads.
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
   * Puts other rules in force, under the next revision.
   *
   * @throws IllegalArgumentException if they cannot be; those in force then stay
   */
  public synchronized RuleSet replace(Collection<Rule> rules) {
    current = RuleSet.of(current.revision() + 1, rules);
    return current;
  }
}
