package io.weir.rules;

import io.weir.rule.RuleSet;

/** Is notified when rules change, and when a change is rejected. */
public interface RulesListener {

  /** Called when new rules are in force. */
  default void changed(RuleSet now) {}

  /**
   * Called when a change is rejected; the rules in force stay.
   *
   * @param reason all problems, one per line
   */
  default void rejected(String reason) {}
}
