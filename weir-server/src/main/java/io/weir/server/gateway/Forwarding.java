package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.weir.http.ForwardedBy;
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
 * @param by the field trusted proxies write
 * @param trusted whether the request came from one
 */
record Forwarding(ForwardedBy by, boolean trusted) {
  private static final String FOR = "X-Forwarded-For";
  private static final String PROTO = "X-Forwarded-Proto";
  private static final String HOST = "X-Forwarded-Host";
  private static final String FORWARDED = "Forwarded";

  void write(
      MultiMap in,
      IpAddress peer,
      IpAddress caller,
      String scheme,
      @Nullable String host,
      MultiMap out) {
    boolean plain = by == ForwardedBy.X_FORWARDED_FOR;
    out.set(FOR, plain ? appended(in, FOR, peer.toString()) : caller.toString());
    String element = element(plain ? caller : peer, scheme, host);
    out.set(FORWARDED, plain ? element : appended(in, FORWARDED, element));
    String proto = single(in, PROTO);
    boolean known = "http".equals(proto) || "https".equals(proto);
    out.set(PROTO, known ? proto : scheme);
    String first = single(in, HOST);
    if (first != null || host != null) {
      out.set(HOST, first != null ? first : host);
    }
  }

  private String appended(MultiMap in, String field, String last) {
    List<String> before = trusted ? in.getAll(field) : List.of();
    return before.isEmpty() ? last : String.join(", ", before) + ", " + last;
  }

  private @Nullable String single(MultiMap in, String field) {
    if (!trusted || !in.contains(field)) {
      return null;
    }
    List<String> lines = in.getAll(field);
    return lines.size() == 1 && lines.get(0).indexOf(',') < 0 ? lines.get(0) : null;
  }

  private static String element(IpAddress address, String scheme, @Nullable String host) {
    String node = address.isV4() ? address.toString() : "\"[" + address + "]\"";
    String element = "for=" + node + ";proto=" + scheme;
    return host == null ? element : element + ";host=\"" + host + "\"";
  }
}
