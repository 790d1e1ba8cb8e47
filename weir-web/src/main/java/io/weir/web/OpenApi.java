package io.weir.web;

import io.weir.internal.JsonText;
import io.weir.web.ApiRoute.BodyField;
import io.weir.web.ApiRoute.RouteParameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Generates an OpenAPI 3.1 document from the routes that serve an API, so that both agree. */
public final class OpenApi {
  private static final Map<Integer, String> STATUS_DESCRIPTIONS =
      Map.ofEntries(
          Map.entry(200, "Allowed, or completed"),
          Map.entry(201, "Created"),
          Map.entry(400, "The request is malformed; nothing was charged or changed"),
          Map.entry(401, "The caller could not be verified, and identity is required"),
          Map.entry(403, "Refused; the proxy answers 429"),
          Map.entry(404, "Not found"),
          Map.entry(409, "Changed concurrently, or not changeable on this node"),
          Map.entry(413, "The body is too long"),
          Map.entry(415, "The media type of the body is not supported"),
          Map.entry(428, "It exists; name the revision to replace"),
          Map.entry(429, "Refused; Retry-After gives the time to wait"),
          Map.entry(503, "Temporarily unavailable; try again later"));

  private OpenApi() {}

  public static String document(String title, List<ApiRoute> routes) {
    Map<String, List<ApiRoute>> paths =
        routes.stream()
            .collect(Collectors.groupingBy(ApiRoute::path, TreeMap::new, Collectors.toList()));
    StringBuilder out = new StringBuilder(4096);
    JsonText.quote(out.append("{\"openapi\":\"3.1.0\",\"info\":{\"title\":"), title);
    out.append(",\"version\":\"1\"},\"paths\":{");
    String comma = "";
    for (var path : paths.entrySet()) {
      JsonText.quote(out.append(comma), path.getKey()).append(":{");
      out.append(path.getValue().stream().map(OpenApi::operation).collect(Collectors.joining(",")));
      out.append('}');
      comma = ",";
    }
    out.append('}');
    if (routes.stream().anyMatch(OpenApi::requiresToken)) {
      out.append(",\"components\":{\"securitySchemes\":{\"token\":");
      out.append("{\"type\":\"http\",\"scheme\":\"bearer\"}}}");
    }
    return out.append('}').toString();
  }

  private static boolean requiresToken(ApiRoute route) {
    return route.parameters().contains(RouteParameter.ADMIN_TOKEN);
  }

  private static String operation(ApiRoute route) {
    StringBuilder out = new StringBuilder();
    JsonText.quote(out, route.method().name().toLowerCase(Locale.ROOT)).append(":{\"summary\":");
    JsonText.quote(out, route.summary());
    String parameters = parameters(route);
    if (!parameters.isEmpty()) {
      out.append(",\"parameters\":[").append(parameters).append(']');
    }
    if (!route.content().types().isEmpty()) {
      out.append(",\"requestBody\":{\"required\":true,\"content\":{").append(content(route));
      out.append("}}");
    }
    if (requiresToken(route)) {
      out.append(",\"security\":[{\"token\":[]}]");
    }
    out.append(",\"responses\":{").append(response(400));
    route.statuses().forEach(status -> out.append(',').append(response(status)));
    return out.append("}}").toString();
  }

  private static String parameters(ApiRoute route) {
    List<RouteParameter> all = new ArrayList<>(route.parameters());
    all.remove(RouteParameter.ADMIN_TOKEN); // described as a security scheme
    if (route.hasId()) {
      all.add(0, new RouteParameter("path", "id", true));
    }
    return all.stream()
        .map(
            p ->
                "{\"name\":\"%s\",\"in\":\"%s\",\"required\":%s,\"schema\":{\"type\":\"string\"}}"
                    .formatted(p.name(), p.in(), p.required()))
        .collect(Collectors.joining(","));
  }

  private static String content(ApiRoute route) {
    return route.content().types().stream()
        .map(type -> "\"" + type + "\":{\"schema\":" + route.content().schema() + "}")
        .collect(Collectors.joining(","));
  }

  private static String response(int status) {
    StringBuilder out = new StringBuilder("\"" + status + "\":{\"description\":");
    return JsonText.quote(out, STATUS_DESCRIPTIONS.getOrDefault(status, "")).append('}').toString();
  }

  /** Returns the JSON schema of an object with these fields and no others. */
  public static String objectSchema(List<BodyField> fields) {
    String properties =
        fields.stream()
            .map(f -> "\"" + f.name() + "\":" + f.schema())
            .collect(Collectors.joining(","));
    String required =
        fields.stream()
            .filter(BodyField::required)
            .map(f -> "\"" + f.name() + "\"")
            .collect(Collectors.joining(","));
    return "{\"type\":\"object\",\"additionalProperties\":false,\"required\":["
        + required
        + "],\"properties\":{"
        + properties
        + "}}";
  }
}
