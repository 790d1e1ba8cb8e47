package io.weir.http.jwt;

import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.weir.http.Caller;
import io.weir.http.Credentials;
import io.weir.http.jwt.TokenCache.Digest;
import io.weir.http.jwt.TokenCache.Known;
import io.weir.store.Clock;
import java.text.ParseException;
import java.util.Date;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Verifies JSON Web Tokens: the signature by the operator's keys and algorithms, the times, issuer
 * and audience. {@code sub} is the user, {@code tier} the tier.
 *
 * <p>A token that was verified is remembered until it expires or the keys change. Safe for any
 * number of threads; never waits for keys.
 */
public final class JwtCredentials implements Credentials, AutoCloseable {
  private static final int LONGEST = 8192;
  private static final int LONGEST_VALUE = 512;
  private static final int REMEMBERED = 16_384;

  private final JwtSettings settings;
  private final Clock clock;
  private final KeySource keys;
  private final long leeway;
  private final TokenCache cache = new TokenCache(REMEMBERED / 2);

  JwtCredentials(JwtSettings settings, Clock clock, KeySource keys) {
    this.settings = settings;
    this.clock = clock;
    this.keys = keys;
    this.leeway = settings.leeway().toMillis();
  }

  /**
   * Begins to verify. Keys at an address are read for the first time here, which may take some
   * seconds; where that fails they are tried again in the background, and no token is verified
   * until they come.
   *
   * @param clock the wall clock
   * @throws IllegalArgumentException if keys are in a file that holds none
   */
  public static JwtCredentials open(JwtSettings settings, Clock clock) {
    KeySource keys =
        settings.jwks().isEmpty()
            ? fixed(settings)
            : FollowedKeys.open(settings, clock, FollowedKeys.Pace.USUAL);
    return new JwtCredentials(settings, clock, keys);
  }

  private static KeySource fixed(JwtSettings settings) {
    KeySet keys = KeySet.of(settings);
    return () -> keys;
  }

  @Override
  public Optional<Caller> verify(String token) {
    if (!looksLike(token)) {
      return Optional.empty();
    }
    KeySet current = keys.current();
    Digest digest = Digest.of(token);
    long now = clock.micros() / 1000;
    Known known = cache.get(digest);
    if (known == null || known.keys() != current) {
      known = check(token, current, now);
      if (known == null) {
        return Optional.empty();
      }
      cache.put(digest, known);
    }
    return isExpired(known.expires(), now) ? Optional.empty() : Optional.of(known.caller());
  }

  /** Three parts of letters, digits, - and _; anything else is not worth a look. */
  private static boolean looksLike(String token) {
    int dots = 0;
    for (int i = 0; i < token.length() && token.length() <= LONGEST; i++) {
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

  private @Nullable Known check(String token, KeySet current, long now) {
    try {
      SignedJWT jwt = SignedJWT.parse(token);
      if (!settings.algorithms().contains(jwt.getHeader().getAlgorithm().getName())) {
        return null;
      }
      if (!current.knows(jwt)) {
        keys.missed();
        return null;
      }
      JWTClaimsSet claims = jwt.getJWTClaimsSet();
      // what is of no use anyway is not worth the time a signature takes
      if (!isForNow(claims, now) || !isForUs(claims)) {
        return null;
      }
      Caller caller = caller(claims);
      return caller != null && current.verifies(jwt)
          ? new Known(caller, current, millis(claims.getExpirationTime(), Long.MAX_VALUE))
          : null;
    } catch (ParseException | RuntimeException e) {
      return null; // whatever is wrong with it, it is nobody's
    }
  }

  private boolean isForNow(JWTClaimsSet claims, long now) {
    return !isExpired(millis(claims.getExpirationTime(), Long.MAX_VALUE), now)
        && millis(claims.getNotBeforeTime(), Long.MIN_VALUE) <= now + leeway;
  }

  private static long millis(@Nullable Date date, long otherwise) {
    return date == null ? otherwise : date.toInstant().toEpochMilli();
  }

  private boolean isExpired(long expires, long now) {
    return expires <= now - leeway;
  }

  private boolean isForUs(JWTClaimsSet claims) {
    return (settings.issuer().isEmpty() || settings.issuer().equals(claims.getIssuer()))
        && (settings.audience().isEmpty() || claims.getAudience().contains(settings.audience()));
  }

  private static @Nullable Caller caller(JWTClaimsSet claims) {
    String user = claims.getSubject();
    if (user == null || user.isEmpty() || user.length() > LONGEST_VALUE) {
      return null;
    }
    boolean named =
        claims.getClaim("tier") instanceof String tier && tier.length() <= LONGEST_VALUE;
    return new Caller("", user, named ? (String) claims.getClaim("tier") : "");
  }

  /** Ends the refreshing of keys. */
  @Override
  public void close() {
    keys.close();
  }
}
