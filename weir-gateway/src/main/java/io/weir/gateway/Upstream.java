package io.weir.gateway;

import java.net.URI;
import java.util.Locale;

/**
 * A server that requests are forwarded to.
 *
 * @param host a host name or an IP address; IPv6 without brackets
 */
public record Upstream(boolean tls, String host, int port) {
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /**
   * Reads {@code http://host:port}.
   *
   * @throws IllegalArgumentException if the URL has a path, query, fragment or user info, since the
   *     path of a request is forwarded unchanged
   */
  public static Upstream parse(String url) {
    URI uri = URI.create(url);
    String path = uri.getRawPath();
    boolean isOriginOnly =
        (path.isEmpty() || path.equals("/"))
            && uri.getRawQuery() == null
            && uri.getRawFragment() == null
            && uri.getRawUserInfo() == null;
    if (!isOriginOnly || uri.getHost() == null) {
      throw new IllegalArgumentException(
          "an upstream must be http://host:port without a path (was '" + url + "')");
    }
    boolean tls = uri.getScheme().toLowerCase(Locale.ROOT).equals("https");
    String host = uri.getHost();
    boolean hasBrackets = host.startsWith("[");
    int port = uri.getPort() < 0 ? (tls ? HTTPS : HTTP) : uri.getPort();
    return new Upstream(tls, hasBrackets ? host.substring(1, host.length() - 1) : host, port);
  }

  /** The value of a {@code Host} field: without the default port. */
  String authority() {
    String name = host.indexOf(':') < 0 ? host : "[" + host + "]";
    return port == (tls ? HTTPS : HTTP) ? name : name + ":" + port;
  }
}
