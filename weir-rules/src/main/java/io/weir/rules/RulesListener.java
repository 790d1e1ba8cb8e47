package io.weir.rules;

import io.weir.rule.RuleSet;

/** Hears of rules that change, and of changes that were refused. */
public interface RulesListener {

  /** Other rules are in force now. */
  default void changed(RuleSet now) {}

  /**
   * A change was refused; the rules in force stay.
   *
   * @param reason everything that is wrong, one line for each
   */
  default void rejected(String reason) {}
}
