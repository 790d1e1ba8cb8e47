package io.weir.cli.doctor;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.weir.internal.Durations;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A Weir node that already runs at the configured ports, detected by calling them.
 *
 * @param health the response of its health endpoint; empty if only the decision API was found
 */
record LocalNodeProbe(JsonObject health) {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

  /** Returns the node that uses one of these ports, if one responds as Weir does. */
  static Optional<LocalNodeProbe> probe(List<ConfiguredListener> listeners) {
    Optional<LocalNodeProbe> admin =
        get(listeners, "admin", "/health")
            .filter(body -> body.getValue("store") instanceof JsonObject)
            .map(LocalNodeProbe::new);
    return admin.or(
        () ->
            get(listeners, "http", "/v1/openapi.json")
                .filter(body -> String.valueOf(body.getValue("info")).contains("Weir"))
                .map(body -> new LocalNodeProbe(new JsonObject())));
  }

  DoctorFinding finding() {
    String node = "weir " + health.getString("node", "") + " is running here";
    JsonObject rules = health.getJsonObject("rules", new JsonObject());
    if (!health.getJsonObject("store", new JsonObject()).getBoolean("available", true)) {
      return DoctorFinding.problem(
          "node", node + " and cannot reach its store", "see the findings on the store below");
    }
    long stale = rules.getLong("stale_ms", 0L);
    if (stale > 0) {
      return DoctorFinding.warning(
          "node",
          node + " with rules that are " + Durations.format(Duration.ofMillis(stale)) + " old",
          "see the findings on the rules below, and its log");
    }
    return DoctorFinding.ok("node", node);
  }

  private static Optional<JsonObject> get(
      List<ConfiguredListener> listeners, String name, String path) {
    return listeners.stream()
        .filter(l -> l.name().equals(name) && l.port().orElse(0) != 0)
        .findFirst()
        .flatMap(l -> get(URI.create("http://" + host(l) + ":" + port(l) + path)));
  }

  private static int port(ConfiguredListener listener) {
    return listener.port().orElse(0);
  }

  private static String host(ConfiguredListener listener) {
    boolean any = listener.host().equals("0.0.0.0") || listener.host().equals("::");
    String host = any ? "127.0.0.1" : listener.host();
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
