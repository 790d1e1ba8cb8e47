package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.weir.http.ForwardingHeader;
import io.weir.http.IpAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells an upstream for whom a request is: {@code X-Forwarded-For}, {@code -Proto}, {@code -Host}
 * and {@code Forwarded} (RFC 7239).
 *
 * <p>What came from a trusted proxy is appended to, in the one field that proxies here write. Every
 * other word on the matter is replaced by what is known.
 *
 * @param proxyField the field trusted proxies write
 * @param trusted whether the request came from one
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
    boolean plain = proxyField == ForwardingHeader.X_FORWARDED_FOR;
    out.set(
        X_FORWARDED_FOR, plain ? append(in, X_FORWARDED_FOR, peer.toString()) : caller.toString());
    String element = forwardedElement(plain ? caller : peer, scheme, host);
    out.set(FORWARDED, plain ? element : append(in, FORWARDED, element));
    String proto = singleValue(in, X_FORWARDED_PROTO);
    boolean known = "http".equals(proto) || "https".equals(proto);
    out.set(X_FORWARDED_PROTO, known ? proto : scheme);
    String first = singleValue(in, X_FORWARDED_HOST);
    if (first != null || host != null) {
      out.set(X_FORWARDED_HOST, first != null ? first : host);
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
