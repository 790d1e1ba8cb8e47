package io.weir.web;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Dispatches requests to routes by path and method; answers 404 or 405 if there is none. */
public final class ApiRouter implements Handler<HttpServerRequest> {
  private final Map<String, List<ApiRoute>> fixedRoutes = new HashMap<>();
  private final List<ApiRoute> idRoutes = new ArrayList<>();
  private final Handler<HttpServerRequest> notFoundHandler;

  public ApiRouter(List<ApiRoute> routes) {
    this(routes, request -> writeNotFound(request, describeRoutes(routes)));
  }

  /** Creates a router that passes requests with unknown paths to another handler. */
  public ApiRouter(List<ApiRoute> routes, Handler<HttpServerRequest> notFoundHandler) {
    for (ApiRoute route : routes) {
      if (route.hasId()) {
        idRoutes.add(route);
      } else {
        fixedRoutes.computeIfAbsent(route.path(), p -> new ArrayList<>()).add(route);
      }
    }
    this.notFoundHandler = notFoundHandler;
  }

  @Override
  public void handle(HttpServerRequest request) {
    String path = request.path();
    if (path == null) {
      notFoundHandler.handle(request);
      return;
    }
    List<String> allowed = new ArrayList<>(0);
    for (ApiRoute route : fixedRoutes.getOrDefault(path, List.of())) {
      if (route.method().equals(request.method())) {
        route.handler().handle(request, "");
        return;
      }
      allowed.add(route.method().name());
    }
    for (ApiRoute route : idRoutes) {
      String id = route.extractId(path);
      if (id != null && route.method().equals(request.method())) {
        route.handler().handle(request, id);
        return;
      }
      if (id != null) {
        allowed.add(route.method().name());
      }
    }
    if (allowed.isEmpty()) {
      notFoundHandler.handle(request);
    } else {
      String methods = String.join(", ", allowed);
      request.response().putHeader("Allow", methods);
      ResponseWriter.writeError(request, 405, "method_not_allowed", "this path accepts " + methods);
    }
  }

  private static String describeRoutes(List<ApiRoute> routes) {
    return routes.stream().map(r -> r.method() + " " + r.path()).collect(Collectors.joining(", "));
  }

  private static void writeNotFound(HttpServerRequest request, String calls) {
    ResponseWriter.writeError(request, 404, "not_found", "unknown path; available: " + calls);
  }
}
