package io.weir.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reservations that are settled while Redis is unavailable. */
class PendingReservationTest {
  private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(60);
  private static final String RULES =
      "rules: [{id: r, per: [user], limit: 20/day, algorithm: fixed-window}]";

  @TempDir Path folder;

  @Test
  void commitWhileStoreIsUnavailable_isPendingAndChargedLater() {
    try (RedisProcess redis = RedisProcess.start();
        RunningServer server = start(redis)) {
      String before = reserve(server, 4).getString("reservation");
      redis.kill();
      JsonObject degraded = reserve(server, 4);
      assertThat(degraded.getBoolean("degraded")).isTrue();

      assertThat(commit(server, before, 7).getString("settled")).isEqualTo("pending");
      String after = degraded.getString("reservation");
      assertThat(commit(server, after, 5).getString("settled")).isEqualTo("pending");
      assertThat(metrics(server)).contains("weir_reservations_pending 2.0");

      redis.restart(); // empty: earlier charges are lost
      Await.until(
          AWAIT_TIMEOUT,
          "the commits are applied",
          () -> metrics(server).contains("weir_reservations_pending 0.0"));
      assertThat(remaining(server)).as("3 more than reserved, and 5").isEqualTo(20 - 3 - 5);
    }
  }

  private RunningServer start(RedisProcess redis) {
    return RunningServer.start(
        folder,
        RULES,
        "store",
        redis.uri(),
        "store-deadline",
        "500ms",
        "admin-port",
        "0",
        "admin-token",
        "secret-of-a-test");
  }

  private static JsonObject reserve(RunningServer server, long cost) {
    return new JsonObject(server.post("/v1/reserve", RunningServer.checkBody("x", cost)).body());
  }

  private static JsonObject commit(RunningServer server, String id, long cost) {
    String path = "/v1/reservations/" + id + "/commit";
    return new JsonObject(server.post(path, "{\"cost\":" + cost + "}").body());
  }

  private static long remaining(RunningServer server) {
    return new JsonObject(server.post("/v1/peek", RunningServer.checkBody("x", 1)).body())
        .getJsonArray("rules")
        .getJsonObject(0)
        .getLong("remaining");
  }

  private static String metrics(RunningServer server) {
    URI page = URI.create("http://127.0.0.1:" + server.port("admin") + "/metrics");
    return HttpClient.newHttpClient()
        .sendAsync(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString())
        .join()
        .body();
  }
}
