package io.weir.server.doctor;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.weir.rule.Durations;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A Weir that runs here already, as its open doors tell of it.
 *
 * @param health what its admin door says; empty if only its decision API was found
 */
record RunningNode(JsonObject health) {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** The node that has one of these doors, if one answers as Weir does. */
  static Optional<RunningNode> behind(List<PlannedDoor> doors) {
    Optional<RunningNode> admin =
        ask(doors, "admin", "/health")
            .filter(said -> said.getValue("store") instanceof JsonObject)
            .map(RunningNode::new);
    return admin.or(
        () ->
            ask(doors, "http", "/v1/openapi.json")
                .filter(said -> String.valueOf(said.getValue("info")).contains("Weir"))
                .map(said -> new RunningNode(new JsonObject())));
  }

  Finding finding() {
    String node = "weir " + health.getString("node", "") + " runs here";
    JsonObject rules = health.getJsonObject("rules", new JsonObject());
    if (!health.getJsonObject("store", new JsonObject()).getBoolean("available", true)) {
      return Finding.problem(
          "node", node + " and has lost its store", "see what is said of the store below");
    }
    long stale = rules.getLong("stale_ms", 0L);
    if (stale > 0) {
      return Finding.warning(
          "node",
          node + " on rules that are " + Durations.format(Duration.ofMillis(stale)) + " old",
          "see what is said of the rules below, and its log");
    }
    return Finding.ok("node", node);
  }

  private static Optional<JsonObject> ask(List<PlannedDoor> doors, String name, String path) {
    return doors.stream()
        .filter(door -> door.name().equals(name) && door.port().orElse(0) != 0)
        .findFirst()
        .flatMap(door -> ask(URI.create("http://" + host(door) + ":" + port(door) + path)));
  }

  private static int port(PlannedDoor door) {
    return door.port().orElse(0);
  }

  private static String host(PlannedDoor door) {
    boolean any = door.host().equals("0.0.0.0") || door.host().equals("::");
    String host = any ? "127.0.0.1" : door.host();
    return host.contains(":") ? "[" + host + "]" : host;
  }

  private static Optional<JsonObject> ask(URI uri) {
    try {
      HttpClient client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(PATIENCE)
              .build();
      HttpRequest request = HttpRequest.newBuilder(uri).timeout(PATIENCE).build();
      return Optional.of(new JsonObject(client.send(request, BodyHandlers.ofString()).body()));
    } catch (IOException | DecodeException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
