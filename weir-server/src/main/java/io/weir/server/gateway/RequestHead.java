package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.http.Call;
import io.weir.http.Identity;
import io.weir.http.IpAddress;
import io.weir.server.web.Received;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the header fields a request has upstream of those it came with.
 *
 * <p>What ends at this hop is left out, and so is whatever could make an upstream see another
 * method, path or caller than was counted. The fields of our own are written last: nothing a caller
 * sends can remove them.
 */
final class RequestHead {
  /** Written anew, or not at all. */
  private static final Names OURS =
      HopByHop.ALWAYS.and(
          Names.of(
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

  /** Claims about the caller's address, taken from nobody but trusted proxies. */
  private static final Names CLAIMS =
      Names.of(
          "X-Real-IP", "X-Client-IP", "X-Cluster-Client-IP", "True-Client-IP", "CF-Connecting-IP");

  private static final String CLAIMS_BEGIN = "X-Forwarded-";

  private final Identity identity;
  private final String by;
  private final boolean keepHost;

  /**
   * @param by how this node names itself in {@code Via}
   * @param keepHost whether the upstream sees the host the caller asked for, or its own
   */
  RequestHead(Identity identity, String by, boolean keepHost) {
    this.identity = identity;
    this.by = by;
    this.keepHost = keepHost;
  }

  /** Whether a request has been here before. */
  boolean isLoop(HttpServerRequest http) {
    return http.headers().contains("Via") && via(http.headers()).contains(" " + by);
  }

  void write(HttpServerRequest http, Call call, Upstream upstream, MultiMap out) {
    MultiMap in = http.headers();
    IpAddress peer = Received.peer(http);
    boolean trusted = identity.trusts(peer);
    Names named = HopByHop.namedBy(in);
    in.forEach(
        (name, value) -> {
          boolean claim = CLAIMS.has(name) || Names.startsWith(name, CLAIMS_BEGIN);
          if (!OURS.has(name) && !named.has(name) && (trusted || !claim)) {
            out.add(name, value);
          }
        });
    if (in.contains(HttpHeaders.COOKIE) && !named.has("Cookie")) {
      out.set(HttpHeaders.COOKIE, String.join("; ", in.getAll(HttpHeaders.COOKIE)));
    }
    if (HopByHop.lists(in, "TE", "trailers")) {
      out.set("TE", "trailers").set(HttpHeaders.CONNECTION, "TE");
    }
    String asked = host(call, in);
    out.set(HttpHeaders.HOST, keepHost && asked != null ? asked : upstream.authority());
    out.set("Via", via(in) + "1.1 " + by);
    new Forwarding(identity.forwardedBy(), trusted)
        .write(in, peer, call.address(), http.isSSL() ? "https" : "http", asked, out);
  }

  /** The host that was asked for, as it was written; the request line's stands above the field. */
  private static @Nullable String host(Call call, MultiMap in) {
    String authority = call.endpoint().authority();
    String host = authority == null ? in.get(HttpHeaders.HOST) : authority;
    return host == null || host.isEmpty() ? null : host;
  }

  private static String via(MultiMap in) {
    List<String> before = in.getAll("Via");
    return before.isEmpty() ? "" : String.join(", ", before) + ", ";
  }
}
