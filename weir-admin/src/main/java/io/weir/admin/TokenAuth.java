package io.weir.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.http.CallerAddressResolver;
import io.weir.http.ForwardingHeader;
import io.weir.http.IpAddress;
import io.weir.http.RateLimitHeaders;
import io.weir.internal.Sha256;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import io.weir.web.ResponseWriter;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bearer token authentication of the admin API.
 *
 * <p>Wrong tokens are rate limited per client address by a built-in rule; over that limit a token
 * is not checked at all. Only a digest of the token is kept, and digests are compared in constant
 * time.
 */
public final class TokenAuth {
  private static final Rule GUESS_RULE =
      Rule.named("admin-token").per("ip").limit("1/second").burst(20).build();
  private static final int GUESS_STORE_BYTES = 1 << 20;
  private static final int TOKEN_BYTES = 24;
  private static final String BEARER_PREFIX = "Bearer ";

  private final byte[] digest;
  private final Limiter guessLimiter;
  private final CallerAddressResolver callerAddress =
      new CallerAddressResolver(
          List.of(), ForwardingHeader.X_FORWARDED_FOR, CallerAddressResolver.DEFAULT_V6_BITS);

  public TokenAuth(String token, Clock clock) {
    digest = Sha256.digest(token);
    guessLimiter =
        Weir.limiter(RuleSet.of(GUESS_RULE))
            .store(new MemoryStore(clock, GUESS_STORE_BYTES))
            .build();
  }

  /** Generates a random token of 192 bits. */
  public static String newToken() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Returns whether a request has the token; responds with an error if it has not. */
  boolean authenticate(HttpServerRequest http) {
    String token = bearerToken(http);
    if (token == null) {
      sendUnauthorized(http, "", "the admin token is missing; send Authorization: Bearer TOKEN");
      return false;
    }
    // charged before the check, so that concurrent guesses are all counted
    Decision decision = guessLimiter.decideNow(Request.of("ip", addressKey(http)));
    if (!decision.allowed()) {
      RateLimitHeaders.write(decision, http.response()::putHeader);
      ResponseWriter.writeError(
          http, 429, "rate_limited", "too many wrong tokens; retry after the time in Retry-After");
      return false;
    }
    if (!MessageDigest.isEqual(digest, Sha256.digest(token))) {
      sendUnauthorized(http, ", error=\"invalid_token\"", "wrong admin token");
      return false;
    }
    var unused = guessLimiter.refund(decision);
    return true;
  }

  private static @Nullable String bearerToken(HttpServerRequest http) {
    List<String> values = http.headers().getAll(HttpHeaders.AUTHORIZATION);
    String value = values.size() == 1 ? values.get(0) : "";
    return value.regionMatches(true, 0, BEARER_PREFIX, 0, BEARER_PREFIX.length())
        ? value.substring(BEARER_PREFIX.length()).strip()
        : null;
  }

  private String addressKey(HttpServerRequest http) {
    SocketAddress peer = http.remoteAddress();
    String text = peer == null ? null : peer.hostAddress();
    IpAddress address = text == null ? null : IpAddress.parse(text.replaceFirst("%.*", ""));
    return address == null ? "unknown" : callerAddress.toAttribute(address);
  }

  private static void sendUnauthorized(
      HttpServerRequest http, String challengeParameters, String message) {
    http.response()
        .putHeader("WWW-Authenticate", "Bearer realm=\"weir admin\"" + challengeParameters);
    ResponseWriter.writeError(http, 401, "unauthorized", message);
  }
}
