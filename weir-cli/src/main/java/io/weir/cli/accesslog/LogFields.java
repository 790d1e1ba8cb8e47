package io.weir.cli.accesslog;

import io.weir.http.EndpointNormalizer;
import io.weir.http.RequestEndpoint;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts the fields of a log line to the attributes that rules use. Fields with a well-known name
 * become {@code ip}, {@code user}, {@code method}, {@code path}, {@code host} and {@code endpoint};
 * the others keep their names.
 */
final class LogFields {
  private static final EndpointNormalizer ENDPOINTS = new EndpointNormalizer();
  private static final String COST = "cost";
  private static final String ENDPOINT = "endpoint";
  private static final String METHOD = "method";
  private static final String PATH = "path";
  private static final String REQUEST_LINE = "request";
  private static final String TIME = "time";
  private static final Map<String, List<String>> OTHER_NAMES =
      Map.of(
          TIME,
          List.of(
              "timestamp",
              "@timestamp",
              "ts",
              "date",
              "datetime",
              "time_local",
              "time_iso8601",
              "msec",
              "start_time"),
          METHOD,
          List.of("request_method", "request.method", "http_method", "verb"),
          PATH,
          List.of("uri", "url", "target", "request_uri", "request.uri", "request_path"),
          "ip",
          List.of(
              "remote_addr",
              "remote_ip",
              "client_ip",
              "clientip",
              "client",
              "addr",
              "address",
              "request.remote_ip",
              "request.client_ip",
              "downstream_remote_address"),
          "user",
          List.of("remote_user", "user_id", "username", "auth_user"),
          "host",
          List.of("http_host", "request.host", "authority", "server_name"));
  private static final Map<String, String> ATTRIBUTES = attributesByField();

  private LogFields() {}

  private static Map<String, String> attributesByField() {
    Map<String, String> attributes = new LinkedHashMap<>();
    OTHER_NAMES.forEach(
        (attribute, names) -> names.forEach(name -> attributes.put(name, attribute)));
    return attributes;
  }

  private static String attributeOf(String field) {
    return ATTRIBUTES.getOrDefault(field.toLowerCase(Locale.ROOT), field);
  }

  /** Returns whether one of the fields is a time. */
  static boolean haveTime(Collection<String> fields) {
    return fields.stream().anyMatch(field -> attributeOf(field).equalsIgnoreCase(TIME));
  }

  /**
   * Returns the request of a line.
   *
   * @throws IllegalArgumentException if a field is invalid or the time is missing
   * @throws io.weir.http.BadRequestException if the logged request is not a valid HTTP request
   */
  static LoggedRequest toRequest(Map<String, String> fields) {
    Map<String, String> attributes = new LinkedHashMap<>();
    fields.forEach((name, value) -> attributes.putIfAbsent(attributeOf(name), value));
    OTHER_NAMES.keySet().stream() // a field with the very name of the attribute counts
        .filter(fields::containsKey)
        .forEach(name -> attributes.put(name, fields.get(name)));
    String time = attributes.remove(TIME);
    if (time == null) {
      throw new IllegalArgumentException(
          "has no time, for example \"time\":\"2026-01-31T12:00:00Z\"");
    }
    long cost = parseCost(attributes.remove(COST));
    normalizeEndpoint(attributes);
    return new LoggedRequest(LogTime.parseMicros(time), attributes, cost);
  }

  private static long parseCost(@Nullable String text) {
    if (text != null && !text.matches("[1-9][0-9]{0,14}")) {
      throw new IllegalArgumentException(
          "cost must be a whole number, at least 1 (was '%s'), for example 1".formatted(text));
    }
    return text == null ? 1 : Long.parseLong(text);
  }

  /** Sets method, path and endpoint as the gateway does, from whichever of them the log has. */
  private static void normalizeEndpoint(Map<String, String> attributes) {
    String line = attributes.remove(REQUEST_LINE);
    String endpoint = line == null ? attributes.get(ENDPOINT) : line;
    String method = attributes.get(METHOD);
    String target = attributes.get(PATH);
    if ((method == null || target == null) && endpoint != null) {
      String[] words = endpoint.split(" ", -1);
      method = words[0];
      target = words.length > 1 ? words[1] : "";
    }
    if (method != null && target != null) {
      RequestEndpoint normalized = ENDPOINTS.normalize(method, target);
      attributes.put(METHOD, normalized.method());
      attributes.put(PATH, normalized.path());
      attributes.put(ENDPOINT, normalized.name());
    }
  }
}
