package io.weir.gateway;

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
 * The routing table of the gateway: finds the target of a request by its host and path prefix.
 *
 * <p>Routes with a host take precedence over routes without one; then the longest path wins. A
 * prefix ends at a {@code /}: {@code /v1} matches {@code /v1/orders}, not {@code /v10}. Immutable.
 *
 * @param <T> the target of a route
 */
final class GatewayRoutes<T> {
  private final List<GatewayRoute<T>> entries;

  private GatewayRoutes(List<GatewayRoute<T>> entries) {
    this.entries = entries;
  }

  private record GatewayRoute<T>(String host, String prefix, T target) {
    boolean matches(@Nullable String requestedHost, String path) {
      return (host.isEmpty() || host.equals(requestedHost))
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
   * @param byPrefix targets by {@code [host]/path}
   */
  static GatewayRoutes<Upstream> read(
      Optional<String> defaultTarget, Map<String, String> byPrefix) {
    Map<String, String> targets = new LinkedHashMap<>();
    byPrefix.forEach((from, to) -> targets.put(canonical(from), to));
    defaultTarget.ifPresent(to -> targets.putIfAbsent("", to));
    List<GatewayRoute<Upstream>> entries = new ArrayList<>();
    targets.forEach(
        (from, to) -> {
          int slash = from.indexOf('/');
          String host = slash < 0 ? from : from.substring(0, slash);
          entries.add(
              new GatewayRoute<>(host, slash < 0 ? "" : from.substring(slash), Upstream.parse(to)));
        });
    entries.sort(
        Comparator.comparing((GatewayRoute<Upstream> e) -> e.host().isEmpty())
            .thenComparing(e -> -e.prefix().length()));
    return new GatewayRoutes<>(entries);
  }

  /** The host in lower case; the path normalized as in requests, without a trailing slash. */
  private static String canonical(String from) {
    int slash = from.indexOf('/');
    String host = from.substring(0, slash).toLowerCase(Locale.ROOT);
    if (host.matches(".*:[0-9]+")) {
      throw new IllegalArgumentException(
          "route '" + from + "' must not have a port; write the host alone");
    }
    try {
      String path = new EndpointNormalizer().normalize("GET", from.substring(slash)).path();
      return host + (path.equals("/") ? "" : path);
    } catch (BadRequestException e) {
      throw new IllegalArgumentException(
          "the path of route '" + from + "' is invalid: " + e.getMessage(), e);
    }
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
                        e.host(), e.prefix(), targets.computeIfAbsent(e.target(), to)))
            .toList());
  }

  /** Returns the target of a request; null if no route matches. */
  @Nullable T find(@Nullable String host, String path) {
    for (GatewayRoute<T> entry : entries) {
      if (entry.matches(host, path)) {
        return entry.target();
      }
    }
    return null;
  }
}
