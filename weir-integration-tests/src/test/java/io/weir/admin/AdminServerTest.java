package io.weir.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.RunningServer;
import io.weir.testkit.Await;
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

/** The admin API of a complete server. */
@Timeout(120)
class AdminServerTest {
  private static final String TOKEN = "Marker-T-0123456789";
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();

  private HttpRequest.Builder request(
      RunningServer server, String method, String path, String body) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port("admin") + path))
        .method(method, BodyPublishers.ofString(body))
        .timeout(TIMEOUT)
        .header("Content-Type", "application/json")
        .header("Authorization", "Bearer " + TOKEN);
  }

  private HttpResponse<String> send(RunningServer server, String method, String path, String body)
      throws IOException, InterruptedException {
    return client.send(request(server, method, path, body).build(), BodyHandlers.ofString());
  }

  private String h2Url() {
    return "jdbc:h2:file:" + folder.resolve("rules") + ";USER=weir;PASSWORD=Marker-J";
  }

  @Test
  void ruleCreatedOverAdminApi_isEnforcedAndCounted() throws Exception {
    try (RunningServer server =
        RunningServer.start(
            folder, "", "rules", h2Url(), "admin-port", "0", "admin-token", TOKEN)) {
      assertThat(server.checkStatus("ann")).isEqualTo(200);
      String rule = "{\"id\":\"api\",\"per\":[\"user\"],\"limit\":\"1/hour\"}";
      assertThat(send(server, "PUT", "/admin/rules/api", rule).statusCode()).isEqualTo(201);
      assertThat(server.checkStatus("ann")).isEqualTo(200);
      assertThat(server.checkStatus("ann")).isEqualTo(429);
      JsonObject stats = new JsonObject(send(server, "GET", "/admin/stats", "").body());
      assertThat(stats.getString("node")).isEqualTo("test");
      assertThat(stats.getJsonObject("requests").getLong("refused")).isEqualTo(1);
      assertThat(stats.getJsonArray("top_refused").getJsonObject(0).getJsonObject("caller"))
          .isEqualTo(new JsonObject().put("user", "ann"));
      assertThat(send(server, "GET", "/metrics", "").body())
          .contains("weir_decisions_total{outcome=\"refused\",rule=\"api\"} 1.0");
      String counter = "/admin/counters?rule=api&user=ann";
      assertThat(send(server, "DELETE", counter, "").statusCode()).isEqualTo(200);
      assertThat(server.checkStatus("ann")).isEqualTo(200);
    }
  }

  @Test
  void syncedRuleOnTwoNodes_overshootIsReported() throws Exception {
    String rules =
        """
        rules:
          - {id: near, per: [user], limit: 100/minute, algorithm: fixed-window, consistency: synced}
          - {id: strict, per: [user], limit: 100/minute}
        """;
    try (RedisProcess redis = RedisProcess.start();
        RunningServer server = startNode(rules, redis)) {
      assertThat(overshoot(server)).isEmpty();
      try (RunningServer other = startNode(rules, redis)) {
        Await.until(
            TIMEOUT,
            "both nodes are counted",
            () -> overshoot(server).equals(new JsonObject().put("near", 100)));
        assertThat(overshoot(other)).isEqualTo(overshoot(server));
        assertThat(server.checkStatus("ann")).isEqualTo(200);
        Await.until(
            TIMEOUT,
            "the metric is updated",
            () -> body(server, "/metrics").contains("weir_overshoot_permits{rule=\"near\"} 100.0"));
      }
    }
  }

  private RunningServer startNode(String rules, RedisProcess redis) {
    return RunningServer.start(
        folder, rules, "store", redis.uri(), "admin-port", "0", "admin-token", TOKEN);
  }

  private JsonObject overshoot(RunningServer server) {
    return new JsonObject(body(server, "/admin/rules")).getJsonObject("overshoot");
  }

  @Test
  void stoppingServer_endsEventStreamsWithoutWaiting() throws Exception {
    RunningServer server =
        RunningServer.start(
            folder, "rules: []", "admin-port", "0", "admin-token", TOKEN, "drain", "1m");
    HttpResponse<InputStream> stream =
        client.send(
            request(server, "GET", "/admin/events", "").build(), BodyHandlers.ofInputStream());
    assertThat(send(server, "GET", "/ready", "").statusCode()).isEqualTo(200);
    Thread stopping = new Thread(server::close);
    stopping.start();
    assertThat(new String(stream.body().readAllBytes(), UTF_8)).contains("event: hello");
    Await.until(TIMEOUT, "the server has stopped", () -> !stopping.isAlive());
  }

  @Test
  void anyResponse_containsNoSecret() throws Exception {
    try (RedisProcess redis = RedisProcess.start("requirepass Marker-R");
        RunningServer server =
            RunningServer.start(
                folder,
                "",
                "rules",
                h2Url(),
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
      List<String> answers = new ArrayList<>(allResponses(server));
      redis.kill();
      Await.until(
          TIMEOUT,
          "the store is reported as unavailable",
          () ->
              server.checkStatus("ann") == 200
                  && body(server, "/admin/stats").contains("\"available\":false"));
      answers.addAll(allResponses(server));
      answers.add(server.server().summary());
      assertThat(answers).hasSizeGreaterThan(30);
      assertThat(answers).noneMatch(answer -> answer.contains("Marker-"));
      assertThat(answers).noneMatch(answer -> answer.contains(secret));
    }
  }

  private String body(RunningServer server, String path) {
    try {
      return send(server, "GET", path, "").body();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the responses of all endpoints, headers included. */
  private List<String> allResponses(RunningServer server) throws Exception {
    JsonObject paths =
        new JsonObject(send(server, "GET", "/admin/openapi.json", "").body())
            .getJsonObject("paths");
    List<String> answers = new ArrayList<>();
    for (String path : paths.fieldNames()) {
      for (Map.Entry<String, Object> operation : paths.getJsonObject(path)) {
        String method = operation.getKey().toUpperCase(Locale.ROOT);
        boolean createsKey = path.equals("/admin/keys") && !method.equals("GET");
        if (path.equals("/admin/events") || createsKey) {
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
