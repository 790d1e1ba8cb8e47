package io.weir.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.weir.gateway.routing.Upstream;
import io.weir.http.IdentifiedRequest;
import io.weir.http.IdentityResolver;
import io.weir.http.IpAddress;
import io.weir.web.VertxHeaders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the header fields of the request to an upstream from those of the caller's request.
 *
 * <p>Removes hop-by-hop fields and all fields that could make an upstream see another method, path
 * or caller than was charged. The gateway's own fields are written last, so nothing a caller sends
 * can remove them.
 */
final class UpstreamHeaderWriter {
  /** Fields that are rewritten or removed. */
  private static final HeaderNames REWRITTEN =
      HopByHopHeaders.STANDARD.union(
          HeaderNames.of(
              "Host",
              "Content-Length",
              "Expect",
              "Via",
              "Trailer",
              "Cookie",
              "Forwarded",
              "X-Forwarded-For",
              "X-Forwarded-Host",
              "X-Forwarded-Proto",
              "X-HTTP-Method",
              "X-HTTP-Method-Override",
              "X-Method-Override",
              "X-Original-Method",
              "X-Original-URI",
              "X-Original-URL",
              "X-Rewrite-URL"));

  /** Fields that state the caller's address; forwarded only if sent by trusted proxies. */
  private static final HeaderNames CLIENT_ADDRESS_HEADERS =
      HeaderNames.of(
          "X-Real-IP", "X-Client-IP", "X-Cluster-Client-IP", "True-Client-IP", "CF-Connecting-IP");

  private static final int NO_PORT = -1;
  private static final String FORWARDED_PREFIX = "X-Forwarded-";

  private final IdentityResolver identity;
  private final String viaName;
  private final boolean keepHost;

  /**
   * @param by the name of this node in {@code Via}
   * @param keepHost whether the upstream gets the requested host instead of its own
   */
  UpstreamHeaderWriter(IdentityResolver identity, String by, boolean keepHost) {
    this.identity = identity;
    this.viaName = by;
    this.keepHost = keepHost;
  }

  /** Whether a request has passed this gateway before, by its {@code Via} field. */
  boolean isLoop(HttpServerRequest http) {
    return http.headers().contains("Via") && viaPrefix(http.headers()).contains(" " + viaName);
  }

  void write(ProxiedRequest proxied, Upstream upstream, HttpClientRequest request) {
    HttpServerRequest http = proxied.http();
    IdentifiedRequest call = proxied.call();
    MultiMap in = http.headers();
    MultiMap out = request.headers();
    boolean isHttp2 = request.version() == HttpVersion.HTTP_2;
    IpAddress peer = VertxHeaders.peerAddress(http);
    boolean trusted = identity.isTrustedProxy(peer);
    HeaderNames named = HopByHopHeaders.namedByConnection(in);
    in.forEach(
        (name, value) -> {
          boolean isClientAddress =
              CLIENT_ADDRESS_HEADERS.contains(name)
                  || HeaderNames.startsWith(name, FORWARDED_PREFIX);
          if (!REWRITTEN.contains(name) && !named.contains(name) && (trusted || !isClientAddress)) {
            out.add(name, value);
          }
        });
    if (in.contains(HttpHeaders.COOKIE) && !named.contains("Cookie")) {
      out.set(HttpHeaders.COOKIE, String.join("; ", in.getAll(HttpHeaders.COOKIE)));
    }
    if (HopByHopHeaders.hasElement(in, "TE", "trailers")) {
      out.set("TE", "trailers");
      if (!isHttp2) { // which has no Connection field
        out.set(HttpHeaders.CONNECTION, "TE");
      }
    }
    String requestedHost = requestedHost(call, in);
    String host = keepHost && requestedHost != null ? requestedHost : upstream.authority();
    if (isHttp2) {
      request.authority(HostAndPort.parseAuthority(host, NO_PORT));
    } else {
      out.set(HttpHeaders.HOST, host);
    }
    out.set(RequestId.HEADER, proxied.id());
    out.set("Via", viaPrefix(in) + "1.1 " + viaName);
    new ForwardedHeaders(identity.forwardingHeader(), trusted)
        .write(in, peer, call.address(), http.isSSL() ? "https" : "http", requestedHost, out);
  }

  /** The requested host as written; the host in the request line overrides the Host field. */
  private static @Nullable String requestedHost(IdentifiedRequest call, MultiMap in) {
    String authority = call.endpoint().authority();
    String host = authority == null ? in.get(HttpHeaders.HOST) : authority;
    return host == null || host.isEmpty() ? null : host;
  }

  private static String viaPrefix(MultiMap in) {
    List<String> before = in.getAll("Via");
    return before.isEmpty() ? "" : String.join(", ", before) + ", ";
  }
}
