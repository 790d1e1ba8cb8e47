package io.weir.server.web;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Finds the route of a request, and says what there is where there is none. */
public final class Router implements Handler<HttpServerRequest> {
  private final Map<String, List<Route>> plain = new HashMap<>();
  private final List<Route> named = new ArrayList<>();
  private final String calls;

  public Router(List<Route> routes) {
    for (Route route : routes) {
      if (route.hasId()) {
        named.add(route);
      } else {
        plain.computeIfAbsent(route.path(), p -> new ArrayList<>()).add(route);
      }
    }
    calls = routes.stream().map(r -> r.method() + " " + r.path()).collect(Collectors.joining(", "));
  }

  @Override
  public void handle(HttpServerRequest request) {
    String path = request.path();
    List<Route> here = path == null ? null : plain.get(path);
    List<String> allowed = new ArrayList<>(0);
    if (here != null) {
      for (Route route : here) {
        if (route.method().equals(request.method())) {
          route.handler().handle(request, "");
          return;
        }
        allowed.add(route.method().name());
      }
    } else if (path != null) {
      for (Route route : named) {
        String id = route.idOf(path);
        if (id != null && route.method().equals(request.method())) {
          route.handler().handle(request, id);
          return;
        }
        if (id != null) {
          allowed.add(route.method().name());
        }
      }
    }
    refuse(request, allowed);
  }

  private void refuse(HttpServerRequest request, List<String> allowed) {
    if (allowed.isEmpty()) {
      Reply.error(request, 404, "not_found", "there is no such path; there are " + calls);
      return;
    }
    String methods = String.join(", ", allowed);
    request.response().putHeader("Allow", methods);
    Reply.error(request, 405, "method_not_allowed", "this path takes " + methods);
  }
}
