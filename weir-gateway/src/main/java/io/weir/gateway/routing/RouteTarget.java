package io.weir.gateway.routing;

import io.weir.internal.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The configured target of a route: one or more upstreams, and how requests are forwarded to them.
 *
 * @param hashAttribute the attribute of requests that {@link BalancePolicy#HASH} uses, else empty
 * @param retries how often an idempotent request is sent again
 * @param rewrite what replaces the prefix of the route in the path; empty to keep the path
 * @param prefixSegments the number of segments of the route's prefix, which are replaced
 * @param healthCheck the path of active health checks; empty for none
 */
public record RouteTarget(
    List<WeightedUpstream> upstreams,
    BalancePolicy balance,
    String hashAttribute,
    int retries,
    Optional<String> rewrite,
    int prefixSegments,
    Optional<String> healthCheck,
    Duration healthInterval,
    Optional<Duration> connectTimeout,
    Optional<Duration> upstreamTimeout) {
  private static final int MAX_RETRIES = 5;
  private static final int MAX_WEIGHT = 1000;
  private static final Duration DEFAULT_HEALTH_INTERVAL = Duration.ofSeconds(5);
  private static final String HASH_PREFIX = "hash:";
  private static final String OPTIONS =
      "balance, retries, rewrite, health-check, health-interval, connect-timeout, upstream-timeout";

  /** An upstream and its share of the requests. */
  public record WeightedUpstream(Upstream upstream, int weight) {
    private static WeightedUpstream parse(String text) {
      int star = text.lastIndexOf('*');
      if (star < 0) {
        return new WeightedUpstream(Upstream.parse(text), 1);
      }
      return new WeightedUpstream(
          Upstream.parse(text.substring(0, star)),
          integer("the weight of an upstream", text.substring(star + 1), 1, MAX_WEIGHT));
    }
  }

  /**
   * Reads {@code URL[*WEIGHT] [URL[*WEIGHT]…][;option=value…]}.
   *
   * @throws IllegalArgumentException with the reason, if it is invalid
   */
  public static RouteTarget parse(String text) {
    String[] parts = text.split(";", -1);
    List<WeightedUpstream> upstreams = new ArrayList<>();
    for (String url : parts[0].trim().split("[ ,]+", -1)) {
      upstreams.add(WeightedUpstream.parse(url));
    }
    RouteTarget target =
        new RouteTarget(
            List.copyOf(upstreams),
            BalancePolicy.ROUND_ROBIN,
            "",
            0,
            Optional.empty(),
            0,
            Optional.empty(),
            DEFAULT_HEALTH_INTERVAL,
            Optional.empty(),
            Optional.empty());
    for (int i = 1; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      String name = parts[i].substring(0, Math.max(0, equals)).trim();
      target = target.with(name, parts[i].substring(equals + 1).trim());
    }
    return target;
  }

  private RouteTarget with(String name, String value) {
    BalancePolicy newBalance = balance;
    String newHashAttribute = hashAttribute;
    int newRetries = retries;
    Optional<String> newRewrite = rewrite;
    Optional<String> newHealthCheck = healthCheck;
    Duration newHealthInterval = healthInterval;
    Optional<Duration> newConnectTimeout = connectTimeout;
    Optional<Duration> newUpstreamTimeout = upstreamTimeout;
    switch (name) {
      case "balance" -> {
        newBalance = balancePolicy(value);
        newHashAttribute =
            newBalance == BalancePolicy.HASH ? value.substring(HASH_PREFIX.length()) : "";
      }
      case "retries" -> newRetries = integer(name, value, 0, MAX_RETRIES);
      case "rewrite" -> newRewrite = Optional.of(path(name, value));
      case "health-check" -> newHealthCheck = Optional.of(path(name, value));
      case "health-interval" -> newHealthInterval = duration(name, value);
      case "connect-timeout" -> newConnectTimeout = Optional.of(duration(name, value));
      case "upstream-timeout" -> newUpstreamTimeout = Optional.of(duration(name, value));
      default ->
          throw new IllegalArgumentException(
              "'" + name + "' is not an option of a route; the options are " + OPTIONS);
    }
    return new RouteTarget(
        upstreams,
        newBalance,
        newHashAttribute,
        newRetries,
        newRewrite,
        prefixSegments,
        newHealthCheck,
        newHealthInterval,
        newConnectTimeout,
        newUpstreamTimeout);
  }

  /** The target of the route with this prefix; the same if the path is not rewritten. */
  public RouteTarget withPrefix(String prefix) {
    int segments = (int) prefix.chars().filter(c -> c == '/').count();
    return rewrite.isEmpty()
        ? this
        : new RouteTarget(
            upstreams,
            balance,
            hashAttribute,
            retries,
            rewrite,
            segments,
            healthCheck,
            healthInterval,
            connectTimeout,
            upstreamTimeout);
  }

  private static BalancePolicy balancePolicy(String value) {
    if (value.startsWith(HASH_PREFIX) && value.length() > HASH_PREFIX.length()) {
      return BalancePolicy.HASH;
    }
    return switch (value) {
      case "round-robin" -> BalancePolicy.ROUND_ROBIN;
      case "least-requests" -> BalancePolicy.LEAST_REQUESTS;
      default ->
          throw new IllegalArgumentException(
              "balance must be round-robin, least-requests or hash:ATTRIBUTE (was '"
                  + value
                  + "'), for example hash:user");
    };
  }

  private static int integer(String name, String value, int min, int max) {
    try {
      int number = Integer.parseInt(value);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new IllegalArgumentException(
        name + " must be a number from " + min + " to " + max + " (was '" + value + "')");
  }

  private static String path(String name, String value) {
    if (!value.startsWith("/") || value.chars().anyMatch(c -> c <= ' ' || c >= 0x7f || c == '#')) {
      throw new IllegalArgumentException(
          name + " must be a path (was '" + value + "'), for example /healthz");
    }
    return value;
  }

  private static Duration duration(String name, String value) {
    Duration parsed;
    try {
      parsed = Durations.parse(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          name + " must be a duration (was '" + value + "'), for example 5s", e);
    }
    if (parsed.toMillis() < 1 || parsed.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          name + " must be between 1ms and 1 day (was '" + value + "'), for example 5s");
    }
    return parsed;
  }

  /**
   * Replaces the first segments of a target.
   *
   * @param target a path and query, normalized, with as many segments as the path that was matched
   */
  public String rewritten(String target) {
    if (rewrite.isEmpty()) {
      return target;
    }
    int query = target.indexOf('?');
    int end = query < 0 ? target.length() : query;
    int from = 0;
    for (int i = 0; i < prefixSegments && from < end; i++) {
      int slash = target.indexOf('/', from + 1);
      from = slash < 0 || slash > end ? end : slash;
    }
    String prefix = rewrite.get();
    String base = prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix;
    String path = base + target.substring(from, end);
    return (path.isEmpty() ? "/" : path) + target.substring(end);
  }
}
