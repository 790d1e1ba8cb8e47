package io.weir.server;

import io.weir.http.ForwardingHeader;
import io.weir.http.IdentityResolver;
import io.weir.http.IdentityResolverBuilder;
import io.weir.http.VerifiedCaller;
import io.weir.http.jwt.JwtSettings;
import io.weir.http.jwt.JwtVerifier;
import io.weir.rule.RuleSource;
import io.weir.rules.database.EditableRules;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import io.weir.store.Clock;
import java.util.Optional;

/**
 * Creates the {@link IdentityResolver} that identifies callers from the settings under {@code
 * identity}.
 */
final class IdentityFactory {

  private IdentityFactory() {}

  static IdentityResolver create(
      ServerConfig config, RuleSource rules, CloseSequence closeSequence) {
    IdentityResolverBuilder builder =
        IdentityResolver.builder()
            .trustedProxies(config.get(ServerSettings.TRUSTED_PROXIES).toArray(String[]::new))
            .forwardedBy(forwardedBy(config.get(ServerSettings.FORWARDED_HEADER)))
            .headers(config.get(ServerSettings.IDENTITY_HEADERS).toArray(String[]::new));
    EditableRules.of(rules)
        .ifPresent(
            database ->
                builder.apiKeys(
                    config.get(ServerSettings.API_KEY_HEADER),
                    secret ->
                        database
                            .keys()
                            .verify(secret)
                            .map(c -> new VerifiedCaller(c.key(), c.user(), c.tier()))));
    jwt(config)
        .ifPresent(
            settings ->
                builder.tokens(closeSequence.add(JwtVerifier.open(settings, Clock.wall()))));
    return config.get(ServerSettings.IDENTITY_REQUIRED)
        ? builder.required().build()
        : builder.build();
  }

  private static Optional<JwtSettings> jwt(ServerConfig config) {
    Optional<String> secret = config.get(ServerSettings.JWT_SECRET);
    Optional<String> keys = config.get(ServerSettings.JWT_JWKS);
    if (secret.isPresent() && keys.isPresent()) {
      throw new IllegalArgumentException("identity.jwt: set either secret or jwks, not both");
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
        "identity.forwarded-header must be X-Forwarded-For or Forwarded (was '" + header + "')");
  }
}
