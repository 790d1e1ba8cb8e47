package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.Running;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The admin door of a whole server. */
@Timeout(120)
class AdminServerTest {
  private static final String TOKEN = "Marker-T-0123456789";
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();

  private HttpRequest.Builder request(Running server, String method, String path, String body) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port("admin") + path))
        .method(method, BodyPublishers.ofString(body))
        .timeout(SOON)
        .header("Content-Type", "application/json")
        .header("Authorization", "Bearer " + TOKEN);
  }

  private HttpResponse<String> send(Running server, String method, String path, String body)
      throws IOException, InterruptedException {
    return client.send(request(server, method, path, body).build(), BodyHandlers.ofString());
  }

  private String h2() {
    return "jdbc:h2:file:" + folder.resolve("rules") + ";USER=weir;PASSWORD=Marker-J";
  }

  @Test
  void aRuleMadeHereRefusesThereAndIsSeenToDoSo() throws Exception {
    try (Running server =
        Running.start(folder, "", "rules", h2(), "admin-port", "0", "admin-token", TOKEN)) {
      assertThat(server.check("ann")).isEqualTo(200);
      String rule = "{\"id\":\"api\",\"per\":[\"user\"],\"limit\":\"1/hour\"}";
      assertThat(send(server, "PUT", "/admin/rules/api", rule).statusCode()).isEqualTo(201);
      assertThat(server.check("ann")).isEqualTo(200);
      assertThat(server.check("ann")).isEqualTo(429);
      JsonObject stats = new JsonObject(send(server, "GET", "/admin/stats", "").body());
      assertThat(stats.getString("node")).isEqualTo("test");
      assertThat(stats.getJsonObject("requests").getLong("refused")).isEqualTo(1);
      assertThat(stats.getJsonArray("top_refused").getJsonObject(0).getJsonObject("caller"))
          .isEqualTo(new JsonObject().put("user", "ann"));
      assertThat(send(server, "GET", "/metrics", "").body())
          .contains("weir_decisions_total{outcome=\"refused\",rule=\"api\"} 1.0");
      String counter = "/admin/counters?rule=api&user=ann";
      assertThat(send(server, "DELETE", counter, "").statusCode()).isEqualTo(200);
      assertThat(server.check("ann")).isEqualTo(200);
    }
  }

  @Test
  void byHowMuchNodesTogetherMayOverrunARuleIsSaid() throws Exception {
    String rules =
        """
        rules:
          - {id: near, per: [user], limit: 100/minute, algorithm: fixed-window, consistency: synced}
          - {id: strict, per: [user], limit: 100/minute}
        """;
    try (RedisProcess redis = RedisProcess.start();
        Running server = node(rules, redis)) {
      assertThat(overshoot(server)).isEmpty();
      try (Running other = node(rules, redis)) {
        Soon.until(
            SOON,
            "both are seen",
            () -> overshoot(server).equals(new JsonObject().put("near", 100)));
        assertThat(overshoot(other)).isEqualTo(overshoot(server));
        assertThat(server.check("ann")).isEqualTo(200);
        Soon.until(
            SOON,
            "the metric",
            () -> got(server, "/metrics").contains("weir_overshoot_permits{rule=\"near\"} 100.0"));
      }
    }
  }

  private Running node(String rules, RedisProcess redis) {
    return Running.start(
        folder, rules, "store", redis.uri(), "admin-port", "0", "admin-token", TOKEN);
  }

  private JsonObject overshoot(Running server) {
    return new JsonObject(got(server, "/admin/rules")).getJsonObject("overshoot");
  }

  @Test
  void aServerThatStopsEndsItsStreamsAndWaitsForNone() throws Exception {
    Running server =
        Running.start(folder, "rules: []", "admin-port", "0", "admin-token", TOKEN, "drain", "1m");
    HttpResponse<InputStream> stream =
        client.send(
            request(server, "GET", "/admin/events", "").build(), BodyHandlers.ofInputStream());
    assertThat(send(server, "GET", "/ready", "").statusCode()).isEqualTo(200);
    Thread stopping = new Thread(server::close);
    stopping.start();
    assertThat(new String(stream.body().readAllBytes(), UTF_8)).contains("event: hello");
    Soon.until(SOON, "it has stopped", () -> !stopping.isAlive());
  }

  @Test
  void noSecretIsInAnyAnswer() throws Exception {
    try (RedisProcess redis = RedisProcess.start("requirepass Marker-R");
        Running server =
            Running.start(
                folder,
                "",
                "rules",
                h2(),
                "store",
                "redis://:Marker-R@127.0.0.1:" + redis.port(),
                "identity-jwt-secret",
                "Marker-W-0123456789-0123456789-0123456789",
                "admin-port",
                "0",
                "admin-token",
                TOKEN)) {
      String made = send(server, "POST", "/admin/keys", "{\"user\":\"acme\"}").body();
      String secret = new JsonObject(made).getString("secret");
      List<String> answers = new ArrayList<>(every(server));
      redis.kill();
      Soon.until(
          SOON,
          "the store is seen to be gone",
          () ->
              server.check("ann") == 200
                  && got(server, "/admin/stats").contains("\"available\":false"));
      answers.addAll(every(server));
      answers.add(server.server().summary());
      assertThat(answers).hasSizeGreaterThan(30);
      assertThat(answers).noneMatch(answer -> answer.contains("Marker-"));
      assertThat(answers).noneMatch(answer -> answer.contains(secret));
    }
  }

  private String got(Running server, String path) {
    try {
      return send(server, "GET", path, "").body();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What every call answers, headers included, as it is and to who has no token. */
  private List<String> every(Running server) throws Exception {
    JsonObject paths =
        new JsonObject(send(server, "GET", "/admin/openapi.json", "").body())
            .getJsonObject("paths");
    List<String> answers = new ArrayList<>();
    for (String path : paths.fieldNames()) {
      for (Map.Entry<String, Object> operation : paths.getJsonObject(path)) {
        String method = operation.getKey().toUpperCase(Locale.ROOT);
        boolean makesAKey = path.equals("/admin/keys") && !method.equals("GET");
        if (path.equals("/admin/events") || makesAKey) {
          continue;
        }
        HttpResponse<String> answer =
            send(server, method, path.replace("{id}", "api") + "?rule=api", "{\"id\":\"api\"}");
        assertThat(answer.statusCode()).as(method + " " + path).isNotEqualTo(500);
        answers.add(answer.headers().map() + answer.body());
      }
    }
    return answers;
  }
}
