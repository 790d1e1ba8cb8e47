package io.weir.http;

import org.jspecify.annotations.Nullable;

/**
 * What is called, spelled in one way; made by {@link EndpointNormalizer}.
 *
 * <p>Rules match {@link #name}, a proxy forwards {@link #method} and {@link #target}: both come
 * from one reading of the request, so what was matched is what the upstream gets.
 *
 * @param method in capitals
 * @param path what is matched: without query, without the parameters of segments, {@code *} for
 *     {@code OPTIONS *}
 * @param target what is forwarded: the path with its parameters, and the query as it was sent
 * @param authority host and port, if the request line named them; they stand above {@code Host}
 */
public record RequestEndpoint(
    String method, String path, String target, @Nullable String authority) {

  /** The attribute {@code endpoint}: {@code METHOD /path}. */
  public String name() {
    return method + " " + path;
  }

  /** The same path by another method, such as {@code WS} for the messages of a WebSocket. */
  public RequestEndpoint withMethod(String other) {
    return new RequestEndpoint(other, path, target, authority);
  }
}
