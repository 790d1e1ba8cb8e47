package io.weir.http.servlet;

import io.weir.http.IpAddress;
import io.weir.http.RequestHeaders;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adapts a servlet request to {@code io.weir.http}. */
public record ServletRequestAdapter(HttpServletRequest request) implements RequestHeaders {

  /**
   * Returns whether this is the initial dispatch; forwards, error pages and asynchronous dispatches
   * have already been counted.
   */
  public boolean isInitialDispatch() {
    return request.getDispatcherType() == DispatcherType.REQUEST;
  }

  /** Returns the address of the socket. */
  public IpAddress peer() {
    return IpAddress.ofSocket(request.getRemoteAddr());
  }

  public String method() {
    return request.getMethod();
  }

  /** Returns path and query as they were sent. */
  public String target() {
    String query = request.getQueryString();
    String path = request.getRequestURI();
    return query == null ? path : path + "?" + query;
  }

  /** Returns the user that the container has authenticated; empty if there is none. */
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
