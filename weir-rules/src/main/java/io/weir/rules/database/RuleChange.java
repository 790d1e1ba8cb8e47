package io.weir.rules.database;

import java.time.Instant;
import java.util.Optional;

/**
 * One change of a rule, as recorded in the history.
 *
 * @param revision the revision created by the change
 * @param rule the id of the rule
 * @param when the time, by the clock of the database
 * @param before the rule as JSON; empty if this change created it
 * @param after the rule as JSON; empty if this change deleted it
 */
public record RuleChange(
    long revision,
    String rule,
    String who,
    Instant when,
    Optional<String> before,
    Optional<String> after) {}
