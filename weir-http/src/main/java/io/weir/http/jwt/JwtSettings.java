package io.weir.http.jwt;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;

/**
 * Which tokens are accepted: those signed with one secret, or with a key of a JSON Web Key Set.
 *
 * @param secret the secret of HMAC signatures; empty if {@code jwks} is set
 * @param jwks a file or the URL of a key set; empty if {@code secret} is set
 * @param algorithms the accepted algorithms, whatever a token specifies; never {@code none}
 * @param issuer the required issuer; empty to accept any
 * @param audience the required audience; empty to accept any
 * @param leeway the accepted clock difference
 */
public record JwtSettings(
    String secret,
    String jwks,
    List<String> algorithms,
    String issuer,
    String audience,
    Duration leeway) {
  static final List<String> HMAC_ALGORITHMS = List.of("HS256", "HS384", "HS512");
  static final List<String> PUBLIC_KEY_ALGORITHMS =
      List.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

  private static final Duration DEFAULT_LEEWAY = Duration.ofSeconds(30);
  private static final Duration MAX_LEEWAY = Duration.ofMinutes(10);

  public JwtSettings {
    algorithms = List.copyOf(algorithms);
    if (secret.isEmpty() == jwks.isEmpty()) {
      throw new IllegalArgumentException("jwt: exactly one of secret and jwks must be set");
    }
    List<String> known = jwks.isEmpty() ? HMAC_ALGORITHMS : PUBLIC_KEY_ALGORITHMS;
    if (algorithms.isEmpty() || !known.containsAll(algorithms)) {
      throw new IllegalArgumentException(
          "jwt: algorithms must be some of " + known + " (was " + algorithms + ")");
    }
    for (String algorithm : algorithms) {
      int bytes = Integer.parseInt(algorithm.substring(2)) / Byte.SIZE;
      if (jwks.isEmpty() && secret.getBytes(UTF_8).length < bytes) {
        throw new IllegalArgumentException(
            "jwt: the secret is too short for %s; use at least %d random characters"
                .formatted(algorithm, bytes));
      }
    }
    if (leeway.isNegative() || leeway.compareTo(MAX_LEEWAY) > 0) {
      throw new IllegalArgumentException(
          "jwt: leeway must be between 0s and 10m (was "
              + leeway.toSeconds()
              + "s), for example 30s");
    }
  }

  /** Returns settings for tokens signed by HS256 with a secret of at least 32 characters. */
  public static JwtSettings ofSecret(String secret) {
    return new JwtSettings(secret, "", List.of("HS256"), "", "", DEFAULT_LEEWAY);
  }

  /**
   * Returns settings for tokens signed by RS256 or ES256 with a key of a set.
   *
   * @param jwks a file, or a URL that begins with {@code https://} or {@code http://}
   */
  public static JwtSettings ofKeys(String jwks) {
    return new JwtSettings("", jwks, List.of("RS256", "ES256"), "", "", DEFAULT_LEEWAY);
  }

  public JwtSettings withAlgorithms(List<String> others) {
    return new JwtSettings(secret, jwks, others, issuer, audience, leeway);
  }

  public JwtSettings withIssuer(String other) {
    return new JwtSettings(secret, jwks, algorithms, other, audience, leeway);
  }

  public JwtSettings withAudience(String other) {
    return new JwtSettings(secret, jwks, algorithms, issuer, other, leeway);
  }

  public JwtSettings withLeeway(Duration other) {
    return new JwtSettings(secret, jwks, algorithms, issuer, audience, other);
  }

  /** Returns a description that does not contain the secret. */
  @Override
  public String toString() {
    return "jwt " + algorithms + " by " + (jwks.isEmpty() ? "a secret" : "the keys of " + jwks);
  }
}
