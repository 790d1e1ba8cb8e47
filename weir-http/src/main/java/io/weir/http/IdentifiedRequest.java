package io.weir.http;

import io.weir.Request;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request as a door has read it: what is called and by whom, and what the limiter is asked.
 *
 * @param endpoint what is called
 * @param address where it comes from
 * @param caller who calls, if that could be verified
 * @param request the attributes to decide by, of cost 1
 * @param unauthorized whether to answer 401 once it was decided: the operator demands a verified
 *     caller and there is none. Decide first, so that whoever tries secrets is counted by address.
 */
public record IdentifiedRequest(
    RequestEndpoint endpoint,
    IpAddress address,
    @Nullable VerifiedCaller caller,
    Request request,
    boolean unauthorized) {
  /** The status of a request without a verified caller where the operator demands one. */
  public static final int UNAUTHORIZED = 401;

  /** The same by another method, such as {@code WS} for the messages of a WebSocket. */
  public IdentifiedRequest withMethod(String method) {
    RequestEndpoint other = endpoint.withMethod(method);
    Map<String, String> attributes = request.attributes();
    attributes.put("endpoint", other.name());
    attributes.put("method", method);
    return new IdentifiedRequest(other, address, caller, Request.of(attributes), unauthorized);
  }
}
