package io.weir.http;

/**
 * A caller identified by a verified API key or token. Unknown values are empty.
 *
 * @param apiKey the id of the API key, never the secret
 */
public record VerifiedCaller(String apiKey, String user, String tier) {}
