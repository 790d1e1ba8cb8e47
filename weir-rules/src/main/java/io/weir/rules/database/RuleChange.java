package io.weir.rules.database;

import java.time.Instant;
import java.util.Optional;

/**
 * One change of a rule, as the history keeps it.
 *
 * @param revision the revision it made
 * @param rule the id of the rule
 * @param when by the database's clock
 * @param before the rule as JSON; empty if it was made by this change
 * @param after the rule as JSON; empty if it was deleted by this change
 */
public record RuleChange(
    long revision,
    String rule,
    String who,
    Instant when,
    Optional<String> before,
    Optional<String> after) {}
