package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.http.CallerAddress;
import io.weir.http.ForwardedBy;
import io.weir.http.IpAddress;
import io.weir.http.RateLimitHeaders;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.web.Reply;
import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets in who shows the token.
 *
 * <p>Who shows a wrong one is limited by a rule of Weir's own, by address: past it a token is not
 * even looked at. Only a digest of the token is kept, and digests are compared in constant time.
 */
public final class Gate {
  private static final Rule GUESSES =
      Rule.named("admin-token").per("ip").limit("1/second").burst(20).build();
  private static final int GUESSES_BYTES = 1 << 20;
  private static final int TOKEN_BYTES = 24;
  private static final String SCHEME = "Bearer ";

  private final byte[] digest;
  private final Limiter guesses;
  private final CallerAddress addresses =
      new CallerAddress(List.of(), ForwardedBy.X_FORWARDED_FOR, CallerAddress.USUAL_V6_BITS);

  public Gate(String token, Clock clock) {
    digest = digest(token);
    guesses =
        Weir.limiter(RuleSet.of(GUESSES)).store(new MemoryStore(clock, GUESSES_BYTES)).build();
  }

  /** A token nobody can guess. */
  public static String newToken() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Whether a request may come in; one that may not is answered here. */
  boolean admits(HttpServerRequest http) {
    String shown = shown(http);
    if (shown == null) {
      refuse(http, "", "show the admin token; send Authorization: Bearer and the token");
      return false;
    }
    // charged before it is looked at, so that guesses made at the same time are all counted
    Decision decision = guesses.decideNow(Request.of("ip", address(http)));
    if (!decision.allowed()) {
      RateLimitHeaders.write(decision, http.response()::putHeader);
      Reply.error(http, 429, "rate_limited", "too many wrong tokens; wait as Retry-After says");
      return false;
    }
    if (!MessageDigest.isEqual(digest, digest(shown))) {
      refuse(http, ", error=\"invalid_token\"", "that is not the admin token");
      return false;
    }
    var unused = guesses.refund(decision);
    return true;
  }

  private static @Nullable String shown(HttpServerRequest http) {
    List<String> all = http.headers().getAll(HttpHeaders.AUTHORIZATION);
    String one = all.size() == 1 ? all.get(0) : "";
    return one.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? one.substring(SCHEME.length()).strip()
        : null;
  }

  private String address(HttpServerRequest http) {
    SocketAddress peer = http.remoteAddress();
    String text = peer == null ? null : peer.hostAddress();
    IpAddress address = text == null ? null : IpAddress.parse(text.replaceFirst("%.*", ""));
    return address == null ? "unknown" : addresses.key(address);
  }

  private static void refuse(HttpServerRequest http, String why, String message) {
    http.response().putHeader("WWW-Authenticate", "Bearer realm=\"weir admin\"" + why);
    Reply.error(http, 401, "unauthorized", message);
  }

  private static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
