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
record LocalNodeProbe(JsonObject health) {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

  /** The node that has one of these doors, if one answers as Weir does. */
  static Optional<LocalNodeProbe> probe(List<ConfiguredListener> doors) {
    Optional<LocalNodeProbe> admin =
        get(doors, "admin", "/health")
            .filter(said -> said.getValue("store") instanceof JsonObject)
            .map(LocalNodeProbe::new);
    return admin.or(
        () ->
            get(doors, "http", "/v1/openapi.json")
                .filter(said -> String.valueOf(said.getValue("info")).contains("Weir"))
                .map(said -> new LocalNodeProbe(new JsonObject())));
  }

  DoctorFinding finding() {
    String node = "weir " + health.getString("node", "") + " runs here";
    JsonObject rules = health.getJsonObject("rules", new JsonObject());
    if (!health.getJsonObject("store", new JsonObject()).getBoolean("available", true)) {
      return DoctorFinding.problem(
          "node", node + " and has lost its store", "see what is said of the store below");
    }
    long stale = rules.getLong("stale_ms", 0L);
    if (stale > 0) {
      return DoctorFinding.warning(
          "node",
          node + " on rules that are " + Durations.format(Duration.ofMillis(stale)) + " old",
          "see what is said of the rules below, and its log");
    }
    return DoctorFinding.ok("node", node);
  }

  private static Optional<JsonObject> get(
      List<ConfiguredListener> doors, String name, String path) {
    return doors.stream()
        .filter(door -> door.name().equals(name) && door.port().orElse(0) != 0)
        .findFirst()
        .flatMap(door -> get(URI.create("http://" + host(door) + ":" + port(door) + path)));
  }

  private static int port(ConfiguredListener door) {
    return door.port().orElse(0);
  }

  private static String host(ConfiguredListener door) {
    boolean any = door.host().equals("0.0.0.0") || door.host().equals("::");
    String host = any ? "127.0.0.1" : door.host();
    return host.contains(":") ? "[" + host + "]" : host;
  }

  private static Optional<JsonObject> get(URI uri) {
    try {
      HttpClient client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(REQUEST_TIMEOUT)
              .build();
      HttpRequest request = HttpRequest.newBuilder(uri).timeout(REQUEST_TIMEOUT).build();
      return Optional.of(new JsonObject(client.send(request, BodyHandlers.ofString()).body()));
    } catch (IOException | DecodeException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
