package io.weir.server.web;

import io.weir.http.Json;
import io.weir.server.web.Route.Field;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Describes routes as an OpenAPI 3.1 document, so that what is described is what answers. */
public final class OpenApi {
  private static final Map<Integer, String> MEANINGS =
      Map.of(
          200, "Allowed, or done",
          400, "The request cannot be read; nothing was charged",
          401, "Nobody could be verified, and somebody must be",
          403, "Refused; the proxy answers 429",
          404, "There is no such reservation",
          429, "Refused; Retry-After says when to come again",
          503, "No room for another reservation");

  private OpenApi() {}

  public static String document(List<Route> routes) {
    Map<String, List<Route>> paths =
        routes.stream()
            .collect(Collectors.groupingBy(Route::path, TreeMap::new, Collectors.toList()));
    StringBuilder out = new StringBuilder(4096);
    out.append("{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"Weir decision API\",");
    out.append("\"version\":\"1\"},\"paths\":{");
    String comma = "";
    for (var path : paths.entrySet()) {
      Json.quote(out.append(comma), path.getKey()).append(":{");
      out.append(path.getValue().stream().map(OpenApi::operation).collect(Collectors.joining(",")));
      out.append('}');
      comma = ",";
    }
    return out.append("}}").toString();
  }

  private static String operation(Route route) {
    StringBuilder out = new StringBuilder();
    Json.quote(out, route.method().name().toLowerCase(Locale.ROOT)).append(":{\"summary\":");
    Json.quote(out, route.summary());
    if (route.hasId()) {
      out.append(",\"parameters\":[{\"name\":\"id\",\"in\":\"path\",\"required\":true,");
      out.append("\"schema\":{\"type\":\"string\"}}]");
    }
    if (!route.body().isEmpty()) {
      out.append(",\"requestBody\":{\"required\":true,\"content\":{\"application/json\":");
      out.append("{\"schema\":").append(object(route.body())).append("}}}");
    }
    out.append(",\"responses\":{").append(response(400));
    route.statuses().forEach(status -> out.append(',').append(response(status)));
    return out.append("}}").toString();
  }

  private static String response(int status) {
    StringBuilder out = new StringBuilder("\"" + status + "\":{\"description\":");
    return Json.quote(out, MEANINGS.getOrDefault(status, "")).append('}').toString();
  }

  /** The schema of an object of these fields and no others. */
  public static String object(List<Field> fields) {
    String properties =
        fields.stream()
            .map(f -> "\"" + f.name() + "\":" + f.schema())
            .collect(Collectors.joining(","));
    String required =
        fields.stream()
            .filter(Field::required)
            .map(f -> "\"" + f.name() + "\"")
            .collect(Collectors.joining(","));
    return "{\"type\":\"object\",\"additionalProperties\":false,\"required\":["
        + required
        + "],\"properties\":{"
        + properties
        + "}}";
  }
}
