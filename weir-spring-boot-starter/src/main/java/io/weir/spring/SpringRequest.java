package io.weir.spring;

import io.weir.http.IpAddress;
import io.weir.http.RequestHeaders;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;

/**
 * A request of a servlet or WebFlux application. It is the root object of the SpEL expressions in
 * {@link RateLimit#per} and {@code weir.attributes}.
 */
public interface SpringRequest extends RequestHeaders {

  /** Returns the address of the peer socket. */
  IpAddress peer();

  String method();

  /** Returns path and query as they were sent. */
  String target();

  /** Returns the authenticated principal; null if anonymous or not authenticated yet. */
  @Nullable Principal principal();

  /** Returns the controller method that handles the request; null if none or not looked up. */
  @Nullable HandlerMethod handler();

  /** Returns the path variables of the controller method. */
  Map<String, String> variables();

  /** Returns the value of a header field; null if missing. */
  default @Nullable String header(String name) {
    return get(name);
  }

  /** Returns the value of a path variable, for example {@code id} in {@code /orders/{id}}. */
  default @Nullable String variable(String name) {
    return variables().get(name);
  }
}
