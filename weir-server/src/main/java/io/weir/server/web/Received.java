package io.weir.server.web;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.weir.http.Headers;
import io.weir.http.IpAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The header fields and the peer of a request, as {@code io.weir.http} reads them. */
public record Received(MultiMap fields) implements Headers {
  private static final IpAddress UNKNOWN = IpAddress.of(new byte[4]);

  public static Received of(HttpServerRequest request) {
    MultiMap fields = request.headers();
    if (!fields.contains("Host") && request.authority() != null) {
      fields.set("Host", request.authority().toString()); // HTTP/2 has :authority
    }
    return new Received(fields);
  }

  /** The address of the socket; of a socket that is none of the internet, 0.0.0.0. */
  public static IpAddress peer(HttpServerRequest request) {
    SocketAddress remote = request.remoteAddress();
    String text = remote == null ? null : remote.hostAddress();
    int zone = text == null ? -1 : text.indexOf('%');
    IpAddress address =
        text == null ? null : IpAddress.parse(zone < 0 ? text : text.substring(0, zone));
    return address == null ? UNKNOWN : address;
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
