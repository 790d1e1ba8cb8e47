package io.weir.http;

import org.jspecify.annotations.Nullable;

/**
 * The normalized method and path of a request; created by {@link EndpointNormalizer}.
 *
 * <p>Rules match {@link #name}; a proxy forwards {@link #method} and {@link #target}. Both result
 * from the same normalization, so the upstream receives what was matched.
 *
 * @param method in upper case
 * @param path the path to match, without query and segment parameters; {@code *} for {@code OPTIONS
 *     *}
 * @param target the target to forward: the path with its parameters, and the query as it was sent
 * @param authority host and port, if the request line contains them; they take precedence over
 *     {@code Host}
 */
public record RequestEndpoint(
    String method, String path, String target, @Nullable String authority) {

  /** The attribute {@code endpoint}: {@code METHOD /path}. */
  public String name() {
    return method + " " + path;
  }

  /** Returns a copy with another method, such as {@code WS} for the messages of a WebSocket. */
  public RequestEndpoint withMethod(String other) {
    return new RequestEndpoint(other, path, target, authority);
  }
}
