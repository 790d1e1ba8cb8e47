package io.weir.rule;

/** Where a limiter reads the rules in force; asked once per request, so it must be a mere read. */
@FunctionalInterface
public interface RuleSource {

  /** The snapshot in force now. */
  RuleSet current();
}
