package io.weir.server.gateway;

import java.net.URI;
import java.util.Locale;

/**
 * A server that requests are forwarded to.
 *
 * @param host a name or an address; of IPv6 without brackets
 */
public record Upstream(boolean tls, String host, int port) {
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /**
   * Reads {@code http://host:port}.
   *
   * @throws IllegalArgumentException if it has a path, or more: what was matched is what is
   *     forwarded
   */
  public static Upstream parse(String url) {
    URI uri = URI.create(url);
    String path = uri.getRawPath();
    boolean plain =
        (path.isEmpty() || path.equals("/"))
            && uri.getRawQuery() == null
            && uri.getRawFragment() == null
            && uri.getRawUserInfo() == null;
    if (!plain || uri.getHost() == null) {
      throw new IllegalArgumentException(
          "'" + url + "' is more than an upstream; write http://host:port");
    }
    boolean tls = uri.getScheme().toLowerCase(Locale.ROOT).equals("https");
    String host = uri.getHost();
    boolean brackets = host.startsWith("[");
    int port = uri.getPort() < 0 ? (tls ? HTTPS : HTTP) : uri.getPort();
    return new Upstream(tls, brackets ? host.substring(1, host.length() - 1) : host, port);
  }

  /** As a {@code Host} field says it: without the port that goes without saying. */
  String authority() {
    String name = host.indexOf(':') < 0 ? host : "[" + host + "]";
    return port == (tls ? HTTPS : HTTP) ? name : name + ":" + port;
  }
}
