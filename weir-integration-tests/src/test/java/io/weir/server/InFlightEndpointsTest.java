package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.weir.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In-flight limits in the decision API, the gateway and the remote limiter. */
class InFlightEndpointsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int LIMIT = 2;
  private static final String RULES =
      "rules: [{id: running, per: [user], match: {user: \"*\"}, in-flight: 2, held-at-most: 1m}]";
  private static final String RULES_PER_IP = "rules: [{id: running, per: [ip], in-flight: 2}]";

  @TempDir Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final ConcurrentLinkedQueue<HttpServerResponse> waiting = new ConcurrentLinkedQueue<>();

  @AfterEach
  void closeVertx() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private static HttpResponse<String> acquire(RunningServer server) {
    return server.post("/v1/acquire", RunningServer.checkBody("x", 1));
  }

  private static JsonObject json(HttpResponse<String> response) {
    return new JsonObject(response.body());
  }

  private static int release(RunningServer server, String id) {
    return server.post("/v1/release/" + id, "").statusCode();
  }

  @Test
  void acquireAndRelease_overTheDecisionApi() {
    try (RunningServer server = RunningServer.start(folder, RULES)) {
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < LIMIT; i++) {
        HttpResponse<String> response = acquire(server);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("RateLimit-Policy"))
            .contains("\"running\";q=2;qu=\"concurrent-requests\"");
        assertThat(response.headers().firstValue("RateLimit"))
            .contains("\"running\";r=" + (LIMIT - 1 - i));
        ids.add(json(response).getString("id"));
      }
      HttpResponse<String> refused = acquire(server);
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().firstValue("Retry-After")).contains("1");
      assertThat(json(refused).getString("rule")).isEqualTo("running");
      assertThat(json(refused).fieldNames()).doesNotContain("id");
      assertThat(server.checkStatus("x")).isEqualTo(429);

      assertThat(release(server, ids.get(0))).isEqualTo(200);
      HttpResponse<String> again = server.post("/v1/release/" + ids.get(0), "");
      assertThat(again.statusCode()).isEqualTo(404);
      assertThat(again.body()).contains("unknown_permit", "has been released");
      assertThat(release(server, "test.unknown")).isEqualTo(404);
      assertThat(release(server, "x")).isEqualTo(404);
      for (int i = 0; i < 5; i++) {
        assertThat(server.checkStatus("x")).as("a check holds no slot").isEqualTo(200);
      }
      assertThat(acquire(server).statusCode()).isEqualTo(200);
      assertThat(acquire(server).statusCode()).isEqualTo(429);
    }
  }

  @Test
  void release_onAnotherNode_saysWhichNodeToAsk() {
    try (RunningServer server = RunningServer.start(folder, RULES)) {
      HttpResponse<String> response = server.post("/v1/release/other.AbC", "");
      assertThat(response.statusCode()).isEqualTo(404);
      assertThat(response.body()).contains("ask the node its id begins with");
    }
  }

  private RunningServer gateway() throws Exception {
    HttpServer upstream =
        vertx
            .createHttpServer()
            .webSocketHandler(socket -> {})
            .requestHandler(
                http -> {
                  if (http.path().equals("/quick")) {
                    http.response().end("quick");
                  } else if (http.path().equals("/broken")) {
                    http.connection().close();
                  } else {
                    waiting.add(http.response());
                  }
                })
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get(60, TimeUnit.SECONDS);
    return RunningServer.start(
        folder,
        RULES_PER_IP,
        "gateway-port",
        "0",
        "upstream",
        "http://127.0.0.1:" + upstream.actualPort());
  }

  private static HttpRequest get(RunningServer server, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port("gateway") + path))
        .build();
  }

  private static int quick(RunningServer server) {
    try {
      return HttpClient.newHttpClient()
          .send(get(server, "/quick"), BodyHandlers.ofString())
          .statusCode();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void gateway_releasesWhenTheResponseHasEnded() throws Exception {
    try (RunningServer server = gateway()) {
      HttpClient client = HttpClient.newHttpClient();
      List<CompletableFuture<HttpResponse<String>>> running = new ArrayList<>();
      for (int i = 0; i < LIMIT; i++) {
        running.add(client.sendAsync(get(server, "/slow"), BodyHandlers.ofString()));
      }
      Await.until(TIMEOUT, "both run", () -> waiting.size() == LIMIT);
      assertThat(quick(server)).isEqualTo(429);
      waiting.forEach(response -> response.end("done"));
      for (var response : running) {
        assertThat(response.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      }
      Await.until(TIMEOUT, "released", () -> quick(server) == 200);
      for (int i = 0; i < 3 * LIMIT; i++) {
        var broken = client.send(get(server, "/broken"), BodyHandlers.ofString());
        assertThat(broken.statusCode()).isBetween(500, 599);
      }
      for (int i = 0; i < 3 * LIMIT; i++) {
        int status = quick(server);
        assertThat(status).isEqualTo(200);
      }
    }
  }

  @Test
  void gateway_releasesWhenTheCallerLeaves() throws Exception {
    try (RunningServer server = gateway()) {
      List<Socket> callers = new ArrayList<>();
      for (int i = 0; i < LIMIT; i++) {
        Socket caller = new Socket(InetAddress.getLoopbackAddress(), server.port("gateway"));
        caller
            .getOutputStream()
            .write("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        callers.add(caller);
      }
      Await.until(TIMEOUT, "both run", () -> waiting.size() == LIMIT);
      assertThat(quick(server)).isEqualTo(429);
      for (Socket caller : callers) {
        caller.close();
      }
      Await.until(TIMEOUT, "released", () -> quick(server) == 200);
    }
  }

  @Test
  void gateway_holdsTheSlotOfAWebSocketUntilItIsClosed() throws Exception {
    try (RunningServer server = gateway()) {
      List<WebSocket> sockets = new ArrayList<>();
      for (int i = 0; i < LIMIT; i++) {
        sockets.add(
            HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(
                    URI.create("ws://127.0.0.1:" + server.port("gateway") + "/socket"),
                    new WebSocket.Listener() {})
                .get(60, TimeUnit.SECONDS));
      }
      assertThat(quick(server)).isEqualTo(429);
      sockets.get(0).abort();
      Await.until(TIMEOUT, "released", () -> quick(server) == 200);
      sockets.get(1).sendClose(WebSocket.NORMAL_CLOSURE, "bye").get(60, TimeUnit.SECONDS);
      Await.until(
          TIMEOUT,
          "all released",
          () ->
              json(server.post("/v1/peek", peekBody())).getJsonArray("rules").size() == 1
                  && json(server.post("/v1/peek", peekBody()))
                          .getJsonArray("rules")
                          .getJsonObject(0)
                          .getLong("remaining")
                      == LIMIT);
    }
  }

  private static String peekBody() {
    return new JsonObject().put("attributes", new JsonObject(Map.of("ip", "127.0.0.1"))).encode();
  }
}
