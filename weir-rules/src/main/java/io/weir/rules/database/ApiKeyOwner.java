package io.weir.rules.database;

/**
 * The owner of an API key.
 *
 * @param key the id of the key, never its secret
 * @param tier empty if the owner has none
 */
public record ApiKeyOwner(String key, String user, String tier) {}
