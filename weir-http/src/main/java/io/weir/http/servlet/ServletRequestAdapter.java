package io.weir.http.servlet;

import io.weir.http.IpAddress;
import io.weir.http.RequestHeaders;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adapts a servlet request to {@code io.weir.http}. */
public class ServletRequestAdapter implements RequestHeaders {
  private final HttpServletRequest request;

  public ServletRequestAdapter(HttpServletRequest request) {
    this.request = request;
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

  @Override
  public @Nullable String get(String name) {
    return request.getHeader(name);
  }

  @Override
  public List<String> all(String name) {
    return Collections.list(request.getHeaders(name));
  }
}
