package io.weir.rule;

import java.time.Duration;

/** Provides the current rules to a limiter. Called once per request, so it must be a plain read. */
@FunctionalInterface
public interface RuleSource {

  /** Returns the current rule set. */
  RuleSet current();

  /** Returns how long the current rules have lagged behind the stored ones; zero if they do not. */
  default Duration staleness() {
    return Duration.ZERO;
  }

  /**
   * Returns why the last change of the rules could not be stored; empty if it was stored or if the
   * source stores no changes.
   */
  default String writeFailure() {
    return "";
  }
}
