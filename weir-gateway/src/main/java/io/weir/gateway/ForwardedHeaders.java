package io.weir.gateway;

import io.vertx.core.MultiMap;
import io.weir.http.ForwardingHeader;
import io.weir.http.IpAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the headers that describe the caller to an upstream: {@code X-Forwarded-For}, {@code
 * -Proto}, {@code -Host} and {@code Forwarded} (RFC 7239).
 *
 * <p>If the request came from a trusted proxy, the field that trusted proxies write is appended to.
 * All other forwarding fields of the request are replaced.
 *
 * @param proxyField the field that trusted proxies write
 * @param trusted whether the request came from a trusted proxy
 */
record ForwardedHeaders(ForwardingHeader proxyField, boolean trusted) {
  private static final String X_FORWARDED_FOR = "X-Forwarded-For";
  private static final String X_FORWARDED_PROTO = "X-Forwarded-Proto";
  private static final String X_FORWARDED_HOST = "X-Forwarded-Host";
  private static final String FORWARDED = "Forwarded";

  void write(
      MultiMap in,
      IpAddress peer,
      IpAddress caller,
      String scheme,
      @Nullable String host,
      MultiMap out) {
    boolean usesXForwardedFor = proxyField == ForwardingHeader.X_FORWARDED_FOR;
    out.set(
        X_FORWARDED_FOR,
        usesXForwardedFor ? append(in, X_FORWARDED_FOR, peer.toString()) : caller.toString());
    String element = forwardedElement(usesXForwardedFor ? caller : peer, scheme, host);
    out.set(FORWARDED, usesXForwardedFor ? element : append(in, FORWARDED, element));
    String proto = singleValue(in, X_FORWARDED_PROTO);
    boolean isValidProto = "http".equals(proto) || "https".equals(proto);
    out.set(X_FORWARDED_PROTO, isValidProto ? proto : scheme);
    String forwardedHost = singleValue(in, X_FORWARDED_HOST);
    if (forwardedHost != null || host != null) {
      out.set(X_FORWARDED_HOST, forwardedHost != null ? forwardedHost : host);
    }
  }

  private String append(MultiMap in, String field, String last) {
    List<String> before = trusted ? in.getAll(field) : List.of();
    return before.isEmpty() ? last : String.join(", ", before) + ", " + last;
  }

  private @Nullable String singleValue(MultiMap in, String field) {
    if (!trusted || !in.contains(field)) {
      return null;
    }
    List<String> lines = in.getAll(field);
    return lines.size() == 1 && lines.get(0).indexOf(',') < 0 ? lines.get(0) : null;
  }

  private static String forwardedElement(IpAddress address, String scheme, @Nullable String host) {
    String node = address.isV4() ? address.toString() : "\"[" + address + "]\"";
    String element = "for=" + node + ";proto=" + scheme;
    return host == null ? element : element + ";host=\"" + host + "\"";
  }
}
