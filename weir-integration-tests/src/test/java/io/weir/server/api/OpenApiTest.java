package io.weir.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.RunningServer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The running server behaves as its OpenAPI document describes. */
class OpenApiTest {
  @TempDir Path folder;

  @Test
  void everyOperation_respondsAsDescribed() {
    try (RunningServer server =
        RunningServer.start(folder, "rules: [{id: api, per: [user], limit: 2/hour}]")) {
      JsonObject document = new JsonObject(server.send("GET", "/v1/openapi.json", "").body());
      assertThat(document.getString("openapi")).startsWith("3.1");
      JsonObject paths = document.getJsonObject("paths");
      assertThat(paths.fieldNames())
          .contains("/v1/check", "/v1/peek", "/v1/check-batch", "/v1/reserve", "/v1/auth")
          .contains("/v1/reservations/{id}", "/v1/reservations/{id}/commit");
      for (String path : paths.fieldNames()) {
        for (Map.Entry<String, Object> operation : paths.getJsonObject(path)) {
          assertRespondsAsDescribed(
              server, path, operation.getKey(), (JsonObject) operation.getValue());
        }
      }
    }
  }

  private static void assertRespondsAsDescribed(
      RunningServer server, String path, String verb, JsonObject operation) {
    String method = verb.toUpperCase(Locale.ROOT);
    String real = path.replace("{id}", "test.unknown");
    if (path.equals("/v1/auth")) {
      return; // its input is in headers: see AuthCallTest
    }
    var responses = operation.getJsonObject("responses").fieldNames();
    JsonObject body = operation.getJsonObject("requestBody");
    String validBody = body == null ? "" : example(schema(body)).encode();
    for (int i = 0; i < 3; i++) {
      int status = server.send(method, real, validBody).statusCode();
      assertThat(responses).as(method + " " + path).contains(Integer.toString(status));
    }
    if (body == null) {
      return;
    }
    for (Object required : schema(body).getJsonArray("required")) {
      JsonObject incomplete = example(schema(body));
      incomplete.remove((String) required);
      assertThat(server.send(method, real, incomplete.encode()).statusCode())
          .as(path + " without " + required)
          .isEqualTo(400);
    }
    JsonObject extended = example(schema(body)).put("unknown", 1);
    assertThat(server.send(method, real, extended.encode()).statusCode()).as(path).isEqualTo(400);
    for (String field : schema(body).getJsonObject("properties").fieldNames()) {
      JsonObject wrong = example(schema(body)).put(field, true);
      assertThat(server.send(method, real, wrong.encode()).statusCode())
          .as(path + ": " + field)
          .isEqualTo(400);
    }
  }

  private static JsonObject schema(JsonObject requestBody) {
    return requestBody
        .getJsonObject("content")
        .getJsonObject("application/json")
        .getJsonObject("schema");
  }

  /** Creates an object that is valid by a schema, with all fields. */
  private static JsonObject example(JsonObject schema) {
    JsonObject example = new JsonObject();
    JsonObject properties = schema.getJsonObject("properties");
    for (String name : properties.fieldNames()) {
      JsonObject property = properties.getJsonObject(name);
      switch (property.getString("type")) {
        case "integer" -> example.put(name, 1);
        case "array" ->
            example.put(
                name,
                new io.vertx.core.json.JsonArray().add(example(property.getJsonObject("items"))));
        default -> example.put(name, new JsonObject().put("user", "openapi"));
      }
    }
    return example;
  }
}
