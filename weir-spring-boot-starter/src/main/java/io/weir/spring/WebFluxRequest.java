package io.weir.spring;

import io.weir.http.IpAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;

/** A request of WebFlux, with its principal and handler already resolved. */
record WebFluxRequest(
    ServerWebExchange exchange, @Nullable Principal principal, @Nullable HandlerMethod handler)
    implements SpringRequest {

  @Override
  public IpAddress peer() {
    InetSocketAddress remote = exchange.getRequest().getRemoteAddress();
    return remote == null || remote.getAddress() == null
        ? IpAddress.ofSocket(null)
        : IpAddress.of(remote.getAddress().getAddress());
  }

  @Override
  public String method() {
    return exchange.getRequest().getMethod().name();
  }

  @Override
  public String target() {
    URI uri = exchange.getRequest().getURI();
    String path = uri.getRawPath();
    String line = path == null || path.isEmpty() ? "/" : path;
    return uri.getRawQuery() == null ? line : line + "?" + uri.getRawQuery();
  }

  @Override
  public Map<String, String> variables() {
    Map<String, String> found =
        exchange.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
    return found == null ? Map.of() : found;
  }

  @Override
  public @Nullable String get(String name) {
    return exchange.getRequest().getHeaders().getFirst(name);
  }

  @Override
  public List<String> all(String name) {
    List<String> lines = new ArrayList<>();
    HttpHeaders headers = exchange.getRequest().getHeaders();
    headers.forEach(
        (field, values) -> {
          if (field.equalsIgnoreCase(name)) {
            lines.addAll(values);
          }
        });
    return lines;
  }
}
