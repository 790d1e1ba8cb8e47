package io.weir.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.HostAndPort;
import io.weir.web.ResponseWriter;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Set;

/**
 * Protects the admin API from cross-origin requests: rejects requests that a browser sends for
 * pages of other origins, and adds headers that forbid framing, caching and content sniffing.
 *
 * <p>A listener on a loopback address accepts only loopback host names, which prevents DNS
 * rebinding.
 */
final class OriginFilter {
  private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "::1", "[::1]");
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; frame-ancestors 'none'";

  private final boolean loopbackOnly;

  OriginFilter(String host) {
    loopbackOnly = isLoopback(host);
  }

  /** Returns whether a request may proceed; responds with an error if it may not. */
  boolean check(HttpServerRequest http) {
    addSecurityHeaders(http.response());
    HostAndPort authority = http.authority();
    String origin = http.getHeader(HttpHeaders.ORIGIN);
    boolean hasHost = authority != null || http.getHeader(HttpHeaders.HOST) != null;
    if (loopbackOnly && hasHost && (authority == null || !isLocalName(authority.host()))) {
      ResponseWriter.writeErrorAndClose(
          http,
          421,
          "wrong_host",
          "this listener accepts only local requests; use the host name localhost");
      return false;
    }
    if (origin != null && (authority == null || !isSameOrigin(origin, authority))) {
      ResponseWriter.writeErrorAndClose(
          http, 403, "cross_origin", "cross-origin requests are not allowed");
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
      int defaultPort = "https".equals(uri.getScheme()) ? 443 : 80;
      int originPort = uri.getPort() < 0 ? defaultPort : uri.getPort();
      int requestedPort = authority.port() <= 0 ? defaultPort : authority.port();
      return authority.host().equalsIgnoreCase(uri.getHost()) && originPort == requestedPort;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false; // the listener cannot be bound to that address either
    }
  }
}
