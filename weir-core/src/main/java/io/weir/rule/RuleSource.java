package io.weir.rule;

import java.time.Duration;

/** Where a limiter reads the rules in force; asked once per request, so it must be a mere read. */
@FunctionalInterface
public interface RuleSource {

  /** The snapshot in force now. */
  RuleSet current();

  /** For how long the rules in force have not been those that are written; zero while they are. */
  default Duration staleness() {
    return Duration.ZERO;
  }

  /**
   * Why the last change of the rules could not be written; empty while changes can be, or where
   * none are made.
   */
  default String writeFailure() {
    return "";
  }
}
