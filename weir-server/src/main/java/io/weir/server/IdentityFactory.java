package io.weir.server;

import io.weir.http.ForwardingHeader;
import io.weir.http.IdentityResolver;
import io.weir.http.IdentityResolverBuilder;
import io.weir.http.VerifiedCaller;
import io.weir.http.jwt.JwtSettings;
import io.weir.http.jwt.JwtVerifier;
import io.weir.rule.RuleSource;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import io.weir.store.Clock;
import java.util.Optional;

/** Makes of the settings under {@code identity} what reads callers. */
final class IdentityFactory {

  private IdentityFactory() {}

  static IdentityResolver create(ServerConfig config, RuleSource rules, CloseSequence endings) {
    IdentityResolverBuilder identity =
        IdentityResolver.builder()
            .trustedProxies(config.get(ServerSettings.TRUSTED_PROXIES).toArray(String[]::new))
            .forwardedBy(forwardedBy(config.get(ServerSettings.FORWARDED_HEADER)))
            .headers(config.get(ServerSettings.IDENTITY_HEADERS).toArray(String[]::new));
    if (rules instanceof DatabaseRules database) {
      identity.apiKeys(
          config.get(ServerSettings.API_KEY_HEADER),
          secret ->
              database
                  .keys()
                  .verify(secret)
                  .map(c -> new VerifiedCaller(c.key(), c.user(), c.tier())));
    }
    jwt(config)
        .ifPresent(
            settings -> identity.tokens(endings.add(JwtVerifier.open(settings, Clock.wall()))));
    return config.get(ServerSettings.IDENTITY_REQUIRED)
        ? identity.required().build()
        : identity.build();
  }

  private static Optional<JwtSettings> jwt(ServerConfig config) {
    Optional<String> secret = config.get(ServerSettings.JWT_SECRET);
    Optional<String> keys = config.get(ServerSettings.JWT_JWKS);
    if (secret.isPresent() && keys.isPresent()) {
      throw new IllegalArgumentException("identity.jwt: write either secret or jwks");
    }
    return secret
        .map(JwtSettings::ofSecret)
        .or(() -> keys.map(JwtSettings::ofKeys))
        .map(
            jwt ->
                jwt.withIssuer(config.get(ServerSettings.JWT_ISSUER).orElse(""))
                    .withAudience(config.get(ServerSettings.JWT_AUDIENCE).orElse("")));
  }

  private static ForwardingHeader forwardedBy(String header) {
    for (ForwardingHeader by : ForwardingHeader.values()) {
      if (by.fieldName().equalsIgnoreCase(header)) {
        return by;
      }
    }
    throw new IllegalArgumentException(
        "identity.forwarded-header: '"
            + header
            + "' is not read; write X-Forwarded-For or Forwarded");
  }
}
