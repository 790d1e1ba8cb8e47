package io.weir.web;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.weir.http.IpAddress;
import io.weir.http.RequestHeaders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Adapts the header fields of a Vert.x request to {@link RequestHeaders} of {@code io.weir.http}.
 */
public record VertxHeaders(MultiMap fields) implements RequestHeaders {
  public static VertxHeaders of(HttpServerRequest request) {
    MultiMap fields = request.headers();
    if (!fields.contains("Host") && request.authority() != null) {
      fields.set("Host", request.authority().toString()); // HTTP/2 sends :authority instead
    }
    return new VertxHeaders(fields);
  }

  /** The remote address of the socket; 0.0.0.0 if it is not an internet socket. */
  public static IpAddress peerAddress(HttpServerRequest request) {
    SocketAddress remote = request.remoteAddress();
    return IpAddress.ofSocket(remote == null ? null : remote.hostAddress());
  }

  @Override
  public @Nullable String get(String name) {
    return fields.get(name);
  }

  @Override
  public List<String> all(String name) {
    return fields.getAll(name);
  }
}
