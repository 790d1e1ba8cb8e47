package io.weir.server;

import io.weir.http.Caller;
import io.weir.http.ForwardedBy;
import io.weir.http.Identity;
import io.weir.http.IdentityBuilder;
import io.weir.http.jwt.JwtCredentials;
import io.weir.http.jwt.JwtSettings;
import io.weir.rule.RuleSource;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import io.weir.store.Clock;
import java.util.Optional;

/** Makes of the settings under {@code identity} what reads callers. */
final class Identities {

  private Identities() {}

  static Identity of(Config config, RuleSource rules, Endings endings) {
    IdentityBuilder identity =
        Identity.builder()
            .trustedProxies(config.get(Settings.TRUSTED_PROXIES).toArray(String[]::new))
            .forwardedBy(forwardedBy(config.get(Settings.FORWARDED_HEADER)))
            .headers(config.get(Settings.IDENTITY_HEADERS).toArray(String[]::new));
    if (rules instanceof DatabaseRules database) {
      identity.apiKeys(
          config.get(Settings.API_KEY_HEADER),
          secret ->
              database.keys().verify(secret).map(c -> new Caller(c.key(), c.user(), c.tier())));
    }
    jwt(config)
        .ifPresent(
            settings -> identity.tokens(endings.add(JwtCredentials.open(settings, Clock.wall()))));
    return config.get(Settings.IDENTITY_REQUIRED) ? identity.required().build() : identity.build();
  }

  private static Optional<JwtSettings> jwt(Config config) {
    Optional<String> secret = config.get(Settings.JWT_SECRET);
    Optional<String> keys = config.get(Settings.JWT_JWKS);
    if (secret.isPresent() && keys.isPresent()) {
      throw new IllegalArgumentException("identity.jwt: write either secret or jwks");
    }
    return secret
        .map(JwtSettings::ofSecret)
        .or(() -> keys.map(JwtSettings::ofKeys))
        .map(
            jwt ->
                jwt.withIssuer(config.get(Settings.JWT_ISSUER).orElse(""))
                    .withAudience(config.get(Settings.JWT_AUDIENCE).orElse("")));
  }

  private static ForwardedBy forwardedBy(String header) {
    for (ForwardedBy by : ForwardedBy.values()) {
      if (by.field().equalsIgnoreCase(header)) {
        return by;
      }
    }
    throw new IllegalArgumentException(
        "identity.forwarded-header: '"
            + header
            + "' is not read; write X-Forwarded-For or Forwarded");
  }
}
