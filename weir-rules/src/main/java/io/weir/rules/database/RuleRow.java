package io.weir.rules.database;

/**
 * A rule as the database holds it.
 *
 * @param body its JSON
 * @param revision that of its last change
 */
record RuleRow(String id, long position, String body, long revision) {}
