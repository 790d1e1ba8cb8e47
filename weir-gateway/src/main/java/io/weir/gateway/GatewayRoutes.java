package io.weir.gateway;

import io.weir.gateway.routing.RouteTarget;
import io.weir.http.BadRequestException;
import io.weir.http.EndpointNormalizer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The routing table of the gateway: finds the target of a request by its method, host and path
 * prefix.
 *
 * <p>Routes with a host take precedence over routes without one; then the longest path wins, and of
 * these a route with a method. A prefix ends at a {@code /}: {@code /v1} matches {@code
 * /v1/orders}, not {@code /v10}. Immutable.
 *
 * @param <T> the target of a route
 */
final class GatewayRoutes<T> {
  private final List<GatewayRoute<T>> entries;

  private GatewayRoutes(List<GatewayRoute<T>> entries) {
    this.entries = entries;
  }

  private record GatewayRoute<T>(String method, String host, String prefix, T target) {
    boolean matches(String requestMethod, @Nullable String requestedHost, String path) {
      return (method.isEmpty() || method.equals(requestMethod))
          && (host.isEmpty() || host.equals(requestedHost))
          && path.startsWith(prefix)
          && (prefix.isEmpty()
              || path.length() == prefix.length()
              || path.charAt(prefix.length()) == '/');
    }
  }

  /**
   * Reads the configured routes.
   *
   * @param defaultTarget the target of requests that no route matches
   * @param byPrefix targets by {@code [METHOD ][host]/path}
   */
  static GatewayRoutes<RouteTarget> read(
      Optional<String> defaultTarget, Map<String, String> byPrefix) {
    Map<String, String> targets = new LinkedHashMap<>();
    byPrefix.forEach((from, to) -> targets.put(canonical(from), to));
    defaultTarget.ifPresent(to -> targets.putIfAbsent("", to));
    List<GatewayRoute<RouteTarget>> entries = new ArrayList<>();
    targets.forEach(
        (from, to) -> {
          int space = from.indexOf(' ');
          int slash = from.indexOf('/', space + 1);
          String host = from.substring(space + 1, slash < 0 ? from.length() : slash);
          String prefix = slash < 0 ? "" : from.substring(slash);
          entries.add(
              new GatewayRoute<>(
                  from.substring(0, Math.max(0, space)),
                  host,
                  prefix,
                  parse(from, to).withPrefix(prefix)));
        });
    entries.sort(
        Comparator.comparing((GatewayRoute<RouteTarget> e) -> e.host().isEmpty())
            .thenComparing(e -> -e.prefix().length())
            .thenComparing(e -> e.method().isEmpty()));
    return new GatewayRoutes<>(entries);
  }

  private static RouteTarget parse(String route, String target) {
    try {
      return RouteTarget.parse(target);
    } catch (IllegalArgumentException e) {
      String place = route.isEmpty() ? "upstream" : "route '" + route + "'";
      throw new IllegalArgumentException(place + ": " + e.getMessage(), e);
    }
  }

  /**
   * The method, if any; the host in lower case; the path normalized as in requests, without a
   * trailing slash.
   */
  private static String canonical(String from) {
    int space = from.indexOf(' ');
    String method = from.substring(0, space + 1);
    if (!method.matches("([A-Z]+ )?")) {
      throw new IllegalArgumentException(
          "the method of route '" + from + "' must be upper case, for example 'GET /v1'");
    }
    int slash = from.indexOf('/', space + 1);
    String host = from.substring(space + 1, slash).toLowerCase(Locale.ROOT);
    if (host.matches(".*:[0-9]+")) {
      throw new IllegalArgumentException(
          "route '" + from + "' must not have a port; write the host alone");
    }
    try {
      String path = new EndpointNormalizer().normalize("GET", from.substring(slash)).path();
      return method + host + (path.equals("/") ? "" : path);
    } catch (BadRequestException e) {
      throw new IllegalArgumentException(
          "the path of route '" + from + "' is invalid: " + e.getMessage(), e);
    }
  }

  /** The targets of all routes. */
  List<T> targets() {
    return entries.stream().map(GatewayRoute::target).toList();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Returns the same routes with other targets; the function is called once per old target. */
  <R> GatewayRoutes<R> map(Function<T, R> to) {
    Map<T, R> targets = new LinkedHashMap<>();
    return new GatewayRoutes<>(
        entries.stream()
            .map(
                e ->
                    new GatewayRoute<>(
                        e.method(), e.host(), e.prefix(), targets.computeIfAbsent(e.target(), to)))
            .toList());
  }

  /** Returns the target of a request; null if no route matches. */
  @Nullable T find(String method, @Nullable String host, String path) {
    for (GatewayRoute<T> entry : entries) {
      if (entry.matches(method, host, path)) {
        return entry.target();
      }
    }
    return null;
  }
}
