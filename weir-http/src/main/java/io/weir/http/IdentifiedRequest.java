package io.weir.http;

import io.weir.Request;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request with its normalized endpoint, its caller and the attributes for the limiter.
 * Created by {@link IdentityResolver}.
 *
 * @param endpoint the normalized method and path
 * @param address the address of the caller
 * @param caller the verified caller; null if there is none
 * @param request the attributes to decide by, with a cost of 1
 * @param unauthorized whether to answer 401 after the decision, because a verified caller is
 *     required and there is none. The limiter decides first, so that guessing secrets is counted by
 *     address.
 */
public record IdentifiedRequest(
    RequestEndpoint endpoint,
    IpAddress address,
    @Nullable VerifiedCaller caller,
    Request request,
    boolean unauthorized) {
  /** The HTTP status of a request without a verified caller where one is required. */
  public static final int UNAUTHORIZED = 401;

  /** Returns a copy with another method, such as {@code WS} for the messages of a WebSocket. */
  public IdentifiedRequest withMethod(String method) {
    RequestEndpoint other = endpoint.withMethod(method);
    Map<String, String> attributes = request.attributes();
    attributes.put("endpoint", other.name());
    attributes.put("method", method);
    return new IdentifiedRequest(other, address, caller, Request.of(attributes), unauthorized);
  }
}
