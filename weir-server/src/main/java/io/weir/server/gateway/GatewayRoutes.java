package io.weir.server.gateway;

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
 * Says where a request goes, by its host and the beginning of its path.
 *
 * <p>A route that names a host goes before all that do not; then the longest path does. A path
 * begins with another only at a {@code /}: {@code /v1} covers {@code /v1/orders}, not {@code /v10}.
 * Immutable.
 *
 * @param <T> what a route leads to
 */
final class GatewayRoutes<T> {
  private final List<GatewayRoute<T>> entries;

  private GatewayRoutes(List<GatewayRoute<T>> entries) {
    this.entries = entries;
  }

  private record GatewayRoute<T>(String host, String prefix, T target) {
    boolean matches(@Nullable String askedHost, String path) {
      return (host.isEmpty() || host.equals(askedHost))
          && path.startsWith(prefix)
          && (prefix.isEmpty()
              || path.length() == prefix.length()
              || path.charAt(prefix.length()) == '/');
    }
  }

  /**
   * Reads routes.
   *
   * @param otherwise where everything goes that no route covers
   * @param byPrefix {@code [host]/path} and where it goes
   */
  static GatewayRoutes<Upstream> read(Optional<String> otherwise, Map<String, String> byPrefix) {
    Map<String, String> all = new LinkedHashMap<>();
    byPrefix.forEach((from, to) -> all.put(canonical(from), to));
    otherwise.ifPresent(to -> all.putIfAbsent("", to));
    List<GatewayRoute<Upstream>> entries = new ArrayList<>();
    all.forEach(
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

  /** The host in small letters; the path as requests are matched, no last slash. */
  private static String canonical(String from) {
    int slash = from.indexOf('/');
    String host = from.substring(0, slash).toLowerCase(Locale.ROOT);
    if (host.matches(".*:[0-9]+")) {
      throw new IllegalArgumentException(
          "the route '" + from + "' has a port; write the host alone, it is matched without");
    }
    try {
      String path = new EndpointNormalizer().normalize("GET", from.substring(slash)).path();
      return host + (path.equals("/") ? "" : path);
    } catch (BadRequestException e) {
      throw new IllegalArgumentException(
          "the route '" + from + "' has no path that could be asked for: " + e.getMessage(), e);
    }
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** The same routes to something else, made once for each place they lead to. */
  <R> GatewayRoutes<R> map(Function<T, R> to) {
    Map<T, R> made = new LinkedHashMap<>();
    return new GatewayRoutes<>(
        entries.stream()
            .map(
                e -> new GatewayRoute<>(e.host(), e.prefix(), made.computeIfAbsent(e.target(), to)))
            .toList());
  }

  /** Where a request goes; null if nowhere. */
  @Nullable T find(@Nullable String host, String path) {
    for (GatewayRoute<T> entry : entries) {
      if (entry.matches(host, path)) {
        return entry.target();
      }
    }
    return null;
  }
}
