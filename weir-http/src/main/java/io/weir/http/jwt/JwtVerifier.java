package io.weir.http.jwt;

import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.weir.http.CredentialVerifier;
import io.weir.http.VerifiedCaller;
import io.weir.http.jwt.TokenCache.CachedToken;
import io.weir.http.jwt.TokenCache.TokenDigest;
import io.weir.store.Clock;
import java.text.ParseException;
import java.util.Date;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Verifies JSON Web Tokens: the signature with the configured keys and algorithms, the validity
 * period, issuer and audience. {@code sub} is the user, {@code tier} the tier.
 *
 * <p>Verified tokens are cached until they expire or the keys change. Thread-safe; never blocks on
 * loading keys.
 */
public final class JwtVerifier implements CredentialVerifier, AutoCloseable {
  private static final int MAX_TOKEN_LENGTH = 8192;
  private static final int MAX_CLAIM_LENGTH = 512;
  private static final int MAX_CACHED_TOKENS = 16_384;

  private final JwtSettings settings;
  private final Clock clock;
  private final JwtKeySource keys;
  private final long leewayMillis;
  private final TokenCache cache = new TokenCache(MAX_CACHED_TOKENS / 2);

  JwtVerifier(JwtSettings settings, Clock clock, JwtKeySource keys) {
    this.settings = settings;
    this.clock = clock;
    this.keys = keys;
    this.leewayMillis = settings.leeway().toMillis();
  }

  /**
   * Opens a verifier. Keys at a URL are first read here, which may take some seconds; if that
   * fails, reading is retried in the background and no token is verified until it succeeds.
   *
   * @param clock the wall clock
   * @throws IllegalArgumentException if the settings name a file without usable keys
   */
  public static JwtVerifier open(JwtSettings settings, Clock clock) {
    JwtKeySource keys =
        settings.jwks().isEmpty()
            ? fixedKeys(settings)
            : RefreshingKeySource.open(
                settings, clock, RefreshingKeySource.RefreshSchedule.DEFAULT);
    return new JwtVerifier(settings, clock, keys);
  }

  private static JwtKeySource fixedKeys(JwtSettings settings) {
    JwtKeySet keys = JwtKeySet.of(settings);
    return () -> keys;
  }

  @Override
  public Optional<VerifiedCaller> verify(String token) {
    if (!looksLikeToken(token)) {
      return Optional.empty();
    }
    JwtKeySet current = keys.current();
    TokenDigest digest = TokenDigest.of(token);
    long now = clock.micros() / 1000;
    CachedToken known = cache.get(digest);
    if (known == null || known.keys() != current) {
      known = check(token, current, now);
      if (known == null) {
        return Optional.empty();
      }
      cache.put(digest, known);
    }
    return isExpired(known.expiresMillis(), now) ? Optional.empty() : Optional.of(known.caller());
  }

  /** Returns whether a token has three parts of letters, digits, - and _; a cheap first check. */
  private static boolean looksLikeToken(String token) {
    int dots = 0;
    for (int i = 0; i < token.length() && token.length() <= MAX_TOKEN_LENGTH; i++) {
      char c = token.charAt(i);
      boolean digit = c >= '0' && c <= '9';
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (c == '.') {
        dots++;
      } else if (!digit && !letter && c != '-' && c != '_') {
        return false;
      }
    }
    return dots == 2;
  }

  private @Nullable CachedToken check(String token, JwtKeySet current, long now) {
    try {
      SignedJWT jwt = SignedJWT.parse(token);
      if (!settings.algorithms().contains(jwt.getHeader().getAlgorithm().getName())) {
        return null;
      }
      if (!current.hasKeyFor(jwt)) {
        keys.onUnknownKey();
        return null;
      }
      JWTClaimsSet claims = jwt.getJWTClaimsSet();
      // cheap checks first: verifying a signature is expensive
      if (!isWithinValidity(claims, now) || !isIssuerAndAudienceValid(claims)) {
        return null;
      }
      VerifiedCaller caller = caller(claims);
      return caller != null && current.verify(jwt)
          ? new CachedToken(caller, current, millis(claims.getExpirationTime(), Long.MAX_VALUE))
          : null;
    } catch (ParseException | RuntimeException e) {
      return null; // an invalid token has no caller
    }
  }

  private boolean isWithinValidity(JWTClaimsSet claims, long now) {
    return !isExpired(millis(claims.getExpirationTime(), Long.MAX_VALUE), now)
        && millis(claims.getNotBeforeTime(), Long.MIN_VALUE) <= now + leewayMillis;
  }

  private static long millis(@Nullable Date date, long otherwise) {
    return date == null ? otherwise : date.toInstant().toEpochMilli();
  }

  private boolean isExpired(long expires, long now) {
    return expires <= now - leewayMillis;
  }

  private boolean isIssuerAndAudienceValid(JWTClaimsSet claims) {
    return (settings.issuer().isEmpty() || settings.issuer().equals(claims.getIssuer()))
        && (settings.audience().isEmpty() || claims.getAudience().contains(settings.audience()));
  }

  private static @Nullable VerifiedCaller caller(JWTClaimsSet claims) {
    String user = claims.getSubject();
    if (user == null || user.isEmpty() || user.length() > MAX_CLAIM_LENGTH) {
      return null;
    }
    boolean hasTier =
        claims.getClaim("tier") instanceof String tier && tier.length() <= MAX_CLAIM_LENGTH;
    return new VerifiedCaller("", user, hasTier ? (String) claims.getClaim("tier") : "");
  }

  /** Stops refreshing the keys. */
  @Override
  public void close() {
    keys.close();
  }
}
