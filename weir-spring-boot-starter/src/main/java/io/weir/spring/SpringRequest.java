package io.weir.spring;

import io.weir.http.IpAddress;
import io.weir.http.RequestHeaders;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;

/**
 * A request as its framework has it; what expressions of {@link RateLimit#per} and {@code
 * weir.attributes} are over.
 */
public interface SpringRequest extends RequestHeaders {

  /** The address of the socket. */
  IpAddress peer();

  String method();

  /** Path and query as they were sent. */
  String target();

  /** Who is authenticated, if anybody is and it is known by now. */
  @Nullable Principal principal();

  /** The controller's method that will handle it, if one will and it was looked for. */
  @Nullable HandlerMethod handler();

  /** The variables of that method's path. */
  Map<String, String> variables();

  /** The value of a header field; null if there is none. */
  default @Nullable String header(String name) {
    return get(name);
  }

  /** The value of a variable of the path, such as {@code id} of {@code /orders/{id}}. */
  default @Nullable String variable(String name) {
    return variables().get(name);
  }
}
