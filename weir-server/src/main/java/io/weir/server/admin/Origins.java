package io.weir.server.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.HostAndPort;
import io.weir.server.web.Reply;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Set;

/**
 * Keeps other people's web pages away: what a browser sends on their behalf is refused, and no page
 * may show, keep or interpret what is answered.
 *
 * <p>A door of this machine only is asked by a name of this machine only: a page whose own name was
 * made to point here asks by that name.
 */
final class Origins {
  private static final Set<String> LOCAL = Set.of("localhost", "127.0.0.1", "::1", "[::1]");
  private static final String POLICY = "default-src 'none'; frame-ancestors 'none'";

  private final boolean local;

  Origins(String host) {
    local = isLoopback(host);
  }

  /** Whether a request is meant for this door; one that is not is answered here. */
  boolean admits(HttpServerRequest http) {
    protect(http.response());
    HostAndPort authority = http.authority();
    String origin = http.getHeader(HttpHeaders.ORIGIN);
    boolean named = authority != null || http.getHeader(HttpHeaders.HOST) != null;
    if (local && named && (authority == null || !isLocal(authority.host()))) {
      Reply.close(
          http, 421, "wrong_host", "this door is of this machine only; ask it as localhost");
      return false;
    }
    if (origin != null && (authority == null || !isSame(origin, authority))) {
      Reply.close(http, 403, "cross_origin", "pages of other origins may not ask this door");
      return false;
    }
    return true;
  }

  private static void protect(HttpServerResponse response) {
    response
        .putHeader("Content-Security-Policy", POLICY)
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("X-Frame-Options", "DENY")
        .putHeader("Referrer-Policy", "no-referrer")
        .putHeader("Cross-Origin-Resource-Policy", "same-origin")
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
  }

  private static boolean isLocal(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return LOCAL.contains(name) || name.endsWith(".localhost");
  }

  private static boolean isSame(String origin, HostAndPort authority) {
    try {
      URI uri = new URI(origin);
      int usual = "https".equals(uri.getScheme()) ? 443 : 80;
      int port = uri.getPort() < 0 ? usual : uri.getPort();
      int asked = authority.port() <= 0 ? usual : authority.port();
      return authority.host().equalsIgnoreCase(uri.getHost()) && port == asked;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false; // nor can the door be opened there
    }
  }
}
