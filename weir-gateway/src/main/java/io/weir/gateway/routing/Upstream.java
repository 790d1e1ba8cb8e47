package io.weir.gateway.routing;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;

/**
 * A server that requests are forwarded to.
 *
 * @param protocol how it is spoken to
 * @param host a host name or an IP address; IPv6 without brackets
 */
public record Upstream(Protocol protocol, String host, int port) {
  private static final Set<String> SCHEMES = Set.of("http", "http2", "https");
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /** The protocol between the gateway and an upstream. */
  public enum Protocol {
    /** {@code http}: HTTP/1.1 without TLS. */
    HTTP_1,
    /** {@code http2}: HTTP/2 without TLS, with prior knowledge. */
    HTTP_2,
    /** {@code https}: with TLS, HTTP/2 if the upstream offers it (ALPN), else HTTP/1.1. */
    TLS;

    private static Protocol ofScheme(String scheme) {
      return switch (scheme.toLowerCase(Locale.ROOT)) {
        case "https" -> TLS;
        case "http2" -> HTTP_2;
        default -> HTTP_1;
      };
    }
  }

  /**
   * Reads {@code http://host:port}, or the same with {@code http2} or {@code https}.
   *
   * @throws IllegalArgumentException if the URL has a path, query, fragment or user info, since the
   *     path of a request is forwarded unchanged
   */
  public static Upstream parse(String url) {
    URI uri = parseUri(url);
    String path = uri.getRawPath();
    boolean isOriginOnly =
        (path.isEmpty() || path.equals("/"))
            && uri.getRawQuery() == null
            && uri.getRawFragment() == null
            && uri.getRawUserInfo() == null;
    if (!isOriginOnly) {
      throw new IllegalArgumentException(
          "an upstream must be http://host:port without a path (was '" + url + "')");
    }
    Protocol protocol = Protocol.ofScheme(uri.getScheme());
    String host = uri.getHost();
    boolean hasBrackets = host.startsWith("[");
    int port = uri.getPort() < 0 ? defaultPort(protocol) : uri.getPort();
    return new Upstream(protocol, hasBrackets ? host.substring(1, host.length() - 1) : host, port);
  }

  private static URI parseUri(String url) {
    try {
      URI uri = new URI(url);
      if (uri.getHost() != null && uri.getScheme() != null && SCHEMES.contains(uri.getScheme())) {
        return uri;
      }
    } catch (URISyntaxException e) {
      // reported below
    }
    throw new IllegalArgumentException(
        "must be a URL such as http://host:port (was '" + url + "')");
  }

  /** The URL of the upstream. */
  public String url() {
    String scheme =
        switch (protocol) {
          case HTTP_1 -> "http";
          case HTTP_2 -> "http2";
          case TLS -> "https";
        };
    return scheme + "://" + authority();
  }

  /** Whether requests are sent over TLS. */
  public boolean tls() {
    return protocol == Protocol.TLS;
  }

  private static int defaultPort(Protocol protocol) {
    return protocol == Protocol.TLS ? HTTPS : HTTP;
  }

  /** The value of a {@code Host} field: without the default port. */
  public String authority() {
    String name = host.indexOf(':') < 0 ? host : "[" + host + "]";
    return port == defaultPort(protocol) ? name : name + ":" + port;
  }
}
