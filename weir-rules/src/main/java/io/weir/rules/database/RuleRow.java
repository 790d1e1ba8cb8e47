package io.weir.rules.database;

/**
 * A row of the table of rules.
 *
 * @param body the rule as JSON
 * @param revision the revision of its last change
 */
record RuleRow(String id, long position, String body, long revision) {}
