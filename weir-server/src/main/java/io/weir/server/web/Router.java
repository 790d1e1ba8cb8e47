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
  private final Handler<HttpServerRequest> otherwise;

  public Router(List<Route> routes) {
    this(routes, request -> notFound(request, calls(routes)));
  }

  /** One that leaves paths it does not know to somebody else. */
  public Router(List<Route> routes, Handler<HttpServerRequest> otherwise) {
    for (Route route : routes) {
      if (route.hasId()) {
        named.add(route);
      } else {
        plain.computeIfAbsent(route.path(), p -> new ArrayList<>()).add(route);
      }
    }
    this.otherwise = otherwise;
  }

  @Override
  public void handle(HttpServerRequest request) {
    String path = request.path();
    if (path == null) {
      otherwise.handle(request);
      return;
    }
    List<String> allowed = new ArrayList<>(0);
    for (Route route : plain.getOrDefault(path, List.of())) {
      if (route.method().equals(request.method())) {
        route.handler().handle(request, "");
        return;
      }
      allowed.add(route.method().name());
    }
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
    if (allowed.isEmpty()) {
      otherwise.handle(request);
    } else {
      String methods = String.join(", ", allowed);
      request.response().putHeader("Allow", methods);
      Reply.error(request, 405, "method_not_allowed", "this path takes " + methods);
    }
  }

  private static String calls(List<Route> routes) {
    return routes.stream().map(r -> r.method() + " " + r.path()).collect(Collectors.joining(", "));
  }

  private static void notFound(HttpServerRequest request, String calls) {
    Reply.error(request, 404, "not_found", "there is no such path; there are " + calls);
  }
}
