package io.weir.http;

/**
 * Who calls, verified; what is not known is empty.
 *
 * @param apiKey the id of its API key, never the secret
 */
public record VerifiedCaller(String apiKey, String user, String tier) {}
