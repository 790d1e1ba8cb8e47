package io.weir.http.servlet;

import io.weir.http.IpAddress;
import io.weir.http.RequestHeaders;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A servlet's request as {@code io.weir.http} reads it. */
public record ServletRequestAdapter(HttpServletRequest request) implements RequestHeaders {

  /** Whether it came just now; a forward, an error page or the end of a wait was counted before. */
  public boolean isInitialDispatch() {
    return request.getDispatcherType() == DispatcherType.REQUEST;
  }

  /** The address of the socket. */
  public IpAddress peer() {
    return IpAddress.ofSocket(request.getRemoteAddr());
  }

  public String method() {
    return request.getMethod();
  }

  /** Path and query as they were sent. */
  public String target() {
    String query = request.getQueryString();
    String path = request.getRequestURI();
    return query == null ? path : path + "?" + query;
  }

  /** Whom the container has authenticated; empty if nobody. */
  public String user() {
    Principal principal = request.getUserPrincipal();
    String name = principal == null ? null : principal.getName();
    return name == null ? "" : name;
  }

  @Override
  public @Nullable String get(String name) {
    return request.getHeader(name);
  }

  @Override
  public List<String> all(String name) {
    return Collections.list(request.getHeaders(name));
  }
}
