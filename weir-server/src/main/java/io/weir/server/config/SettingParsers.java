package io.weir.server.config;

import io.weir.gateway.log.AccessLogFormat;
import io.weir.gateway.routing.RouteTarget;
import io.weir.internal.Durations;
import io.weir.redis.RedisStore;
import io.weir.server.api.AuthHeaderFormat;
import io.weir.server.envoy.EnvoyStoreFailureMode;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/** The parsers of setting values. They throw an IllegalArgumentException with the rule violated. */
final class SettingParsers {
  private static final int MIN_TOKEN_LENGTH = 16;
  private static final Set<String> WEB_SCHEMES = Set.of("http", "https");

  private SettingParsers() {}

  static String nonBlank(String text) {
    return require(!text.isBlank(), text, "must not be blank");
  }

  static Optional<String> optionalText(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(nonBlank(text));
  }

  static Optional<String> optionalName(String text) {
    require(text.matches("[A-Za-z0-9_-]{0,64}"), text, "must be 1 to 64 letters, digits, - and _");
    return optionalText(text);
  }

  static String storeUrl(String text) {
    if (!text.equals("memory")) {
      var unused = RedisStore.at(text);
    }
    return text;
  }

  static Optional<String> optionalRedisUrl(String text) {
    if (!text.isEmpty()) {
      var unused = RedisStore.at(text);
    }
    return optionalText(text);
  }

  static String rulesUrl(String text) {
    boolean known =
        text.startsWith("file:")
            || text.startsWith("jdbc:h2:")
            || text.startsWith("jdbc:postgresql:");
    return require(known, text, "must be file:PATH, jdbc:h2:… or jdbc:postgresql:…");
  }

  static Path path(String text) {
    try {
      return Path.of(nonBlank(text));
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(
          "must be a path such as ./weir-data (was '" + text + "')", e);
    }
  }

  static Optional<Path> optionalFile(String text) {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Path file = path(text);
    require(Files.isReadable(file), text, "must be a readable file");
    return Optional.of(file);
  }

  static Optional<String> optionalToken(String text) {
    require(
        text.isEmpty() || (text.length() >= MIN_TOKEN_LENGTH && text.matches("[!-~]+")),
        "…",
        "must be at least " + MIN_TOKEN_LENGTH + " characters without spaces");
    return optionalText(text);
  }

  static OptionalInt port(String text) {
    if (text.equals("off")) {
      return OptionalInt.empty();
    }
    boolean number = text.matches("[0-9]{1,5}") && Integer.parseInt(text) <= 65_535;
    require(number, text, "must be a port from 1 to 65535, 0 for any free port, or off");
    return OptionalInt.of(Integer.parseInt(text));
  }

  static EnvoyStoreFailureMode storeFailureMode(String text) {
    require(text.equals("posture") || text.equals("error"), text, "must be posture or error");
    return text.equals("posture") ? EnvoyStoreFailureMode.FALLBACK : EnvoyStoreFailureMode.ERROR;
  }

  static AuthHeaderFormat authForm(String text) {
    return switch (text) {
      case "auto" -> AuthHeaderFormat.AUTO;
      case "original" -> AuthHeaderFormat.ORIGINAL;
      case "forwarded" -> AuthHeaderFormat.FORWARDED;
      default ->
          throw new IllegalArgumentException(
              "must be auto, original or forwarded (was '" + text + "')");
    };
  }

  static Optional<AccessLogFormat> accessLog(String text) {
    return switch (text) {
      case "off" -> Optional.empty();
      case "json" -> Optional.of(AccessLogFormat.JSON);
      case "combined" -> Optional.of(AccessLogFormat.COMBINED);
      default ->
          throw new IllegalArgumentException("must be json, combined or off (was '" + text + "')");
    };
  }

  static Boolean trueOrFalse(String text) {
    require(text.equals("true") || text.equals("false"), text, "must be true or false");
    return text.equals("true");
  }

  static Function<String, Integer> integerBetween(int min, int max) {
    return text -> {
      boolean digits = text.matches("[0-9]{1,9}");
      boolean inRange = digits && Integer.parseInt(text) >= min && Integer.parseInt(text) <= max;
      require(inRange, text, "must be a number from " + min + " to " + max);
      return Integer.parseInt(text);
    };
  }

  static Function<String, Duration> durationBetween(Duration min, Duration max) {
    return text -> {
      Duration time = text.equals("0") ? Duration.ZERO : Durations.parse(text);
      boolean inRange = time.compareTo(min) >= 0 && time.compareTo(max) <= 0;
      String range = (min.isZero() ? "0" : Durations.format(min)) + " and " + Durations.format(max);
      require(inRange, text, "must be between " + range);
      return time;
    };
  }

  /** Parses a duration; {@code off} is zero. */
  static Function<String, Duration> durationBetweenOrOff(Duration min, Duration max) {
    Function<String, Duration> time = durationBetween(min, max);
    return text -> text.equals("off") ? Duration.ZERO : time.apply(text);
  }

  static List<String> commaSeparated(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::trim).filter(s -> !s.isEmpty()).toList();
  }

  static Optional<String> optionalHttpUrl(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(httpUrl(text));
  }

  static Map<String, String> routes(String text) {
    Map<String, String> routes = new LinkedHashMap<>();
    for (String route : commaSeparated(text)) {
      int equals = route.indexOf('=');
      require(
          equals > 0 && route.substring(0, equals).contains("/"),
          route,
          "must be [METHOD ][host]/prefix=http://host:port");
      routes.put(route.substring(0, equals), routeTarget(route.substring(equals + 1)));
    }
    return routes;
  }

  static Optional<String> optionalRouteTarget(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(routeTarget(text));
  }

  private static String routeTarget(String text) {
    RouteTarget.parse(text);
    return text;
  }

  private static String httpUrl(String text) {
    try {
      URI uri = new URI(text);
      boolean web = uri.getScheme() != null && WEB_SCHEMES.contains(uri.getScheme());
      return require(web && uri.getHost() != null, text, "must be a URL such as http://host:port");
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(
          "must be a URL such as http://host:port (was '" + text + "')", e);
    }
  }

  private static String require(boolean condition, String text, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule + " (was '" + text + "')");
    }
    return text;
  }
}
