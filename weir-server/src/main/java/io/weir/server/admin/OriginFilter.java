package io.weir.server.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.HostAndPort;
import io.weir.server.web.ResponseWriter;
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
final class OriginFilter {
  private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "::1", "[::1]");
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; frame-ancestors 'none'";

  private final boolean loopbackOnly;

  OriginFilter(String host) {
    loopbackOnly = isLoopback(host);
  }

  /** Whether a request is meant for this door; one that is not is answered here. */
  boolean check(HttpServerRequest http) {
    addSecurityHeaders(http.response());
    HostAndPort authority = http.authority();
    String origin = http.getHeader(HttpHeaders.ORIGIN);
    boolean named = authority != null || http.getHeader(HttpHeaders.HOST) != null;
    if (loopbackOnly && named && (authority == null || !isLocalName(authority.host()))) {
      ResponseWriter.writeErrorAndClose(
          http, 421, "wrong_host", "this door is of this machine only; ask it as localhost");
      return false;
    }
    if (origin != null && (authority == null || !isSameOrigin(origin, authority))) {
      ResponseWriter.writeErrorAndClose(
          http, 403, "cross_origin", "pages of other origins may not ask this door");
      return false;
    }
    return true;
  }

  private static void addSecurityHeaders(HttpServerResponse response) {
    response
        .putHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("X-Frame-Options", "DENY")
        .putHeader("Referrer-Policy", "no-referrer")
        .putHeader("Cross-Origin-Resource-Policy", "same-origin")
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
  }

  private static boolean isLocalName(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return LOCAL_NAMES.contains(name) || name.endsWith(".localhost");
  }

  private static boolean isSameOrigin(String origin, HostAndPort authority) {
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
