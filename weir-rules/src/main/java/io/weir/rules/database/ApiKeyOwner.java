package io.weir.rules.database;

/**
 * Whom an API key is for.
 *
 * @param key the id of the key, never its secret
 * @param tier empty if the caller has none
 */
public record ApiKeyOwner(String key, String user, String tier) {}
