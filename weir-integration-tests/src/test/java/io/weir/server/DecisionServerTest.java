package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Startup, shutdown, and sharing of budgets between servers. */
class DecisionServerTest {
  private static final String TEN_PER_HOUR =
      "rules: [{id: api, per: [user], limit: 10/hour, on-store-failure: closed}]";

  @TempDir Path folder;

  private Path createFolder(String name) throws IOException {
    return Files.createDirectory(folder.resolve(name));
  }

  private static int admitted(int requests, RunningServer... servers) {
    int admitted = 0;
    for (int i = 0; i < requests; i++) {
      admitted += servers[i % servers.length].checkStatus("u") == 200 ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void twoServersOnOneRedis_shareOneBudget() throws IOException {
    try (RedisProcess redis = RedisProcess.start();
        RunningServer one = startOnRedis("one", redis);
        RunningServer two = startOnRedis("two", redis)) {
      assertThat(admitted(30, one, two)).isEqualTo(10);
    }
  }

  @Test
  void storePagesIsSet_redisLayoutUsesThatManyBuckets() throws IOException {
    try (RedisProcess redis = RedisProcess.start();
        RunningServer server =
            RunningServer.start(
                createFolder("x"), TEN_PER_HOUR, "store", redis.uri(), "store-pages", "300000")) {
      Await.until(
          Duration.ofSeconds(30),
          "the store is connected",
          () -> redis.command("GET", "weir:setup") != null);
      assertThat(redis.command("GET", "weir:setup")).asString().endsWith(" 1 524288");
      assertThat(server.checkStatus("u")).isIn(200, 503);
    }
  }

  @Test
  void restartWithRedisStore_keepsBudgets() throws IOException {
    try (RedisProcess redis = RedisProcess.start()) {
      try (RunningServer one = startOnRedis("one", redis)) {
        assertThat(admitted(6, one)).isEqualTo(6);
      }
      try (RunningServer again = startOnRedis("again", redis)) {
        assertThat(admitted(20, again)).isEqualTo(4);
      }
    }
  }

  @Test
  void gracefulRestartWithMemoryStore_keepsBudgets() throws IOException {
    Path here = createFolder("x");
    try (RunningServer one = RunningServer.start(here, TEN_PER_HOUR)) {
      assertThat(admitted(6, one)).isEqualTo(6);
    }
    try (RunningServer again = RunningServer.start(here, TEN_PER_HOUR)) {
      assertThat(admitted(20, again)).isEqualTo(4);
    }
  }

  @Test
  void redisIsUnavailable_serverStartsAndReportsIt() throws IOException {
    try (RunningServer server =
        RunningServer.start(
            createFolder("x"),
            TEN_PER_HOUR,
            "store",
            "redis://127.0.0.1:1",
            "store-deadline",
            "50ms")) {
      assertThat(server.server().summary()).contains("UNAVAILABLE, rules use their fallback");
      HttpResponse<String> response = server.post("/v1/check", RunningServer.checkBody("u", 1));
      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(response.body())
          .contains("\"degraded\":true", "\"error\":\"store_unavailable\"", "\"remaining\":null");
      assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
      assertThat(response.headers().firstValue("X-RateLimit-Remaining")).isEmpty();
    }
  }

  private RunningServer startOnRedis(String name, RedisProcess redis) throws IOException {
    return RunningServer.start(
        createFolder(name), TEN_PER_HOUR, "store", redis.uri(), "store-deadline", "5s");
  }

  @Test
  void openReservation_isRefundedOnStop() throws IOException {
    try (RedisProcess redis = RedisProcess.start()) {
      try (RunningServer one = startOnRedis("one", redis)) {
        assertThat(one.post("/v1/reserve", RunningServer.checkBody("u", 10)).statusCode())
            .isEqualTo(200);
        assertThat(one.checkStatus("u")).isEqualTo(429);
      }
      try (RunningServer again = startOnRedis("again", redis)) {
        assertThat(admitted(20, again)).isEqualTo(10);
      }
    }
  }

  @Test
  void requestInFlightDuringStop_isAnswered() throws Exception {
    RunningServer server = RunningServer.start(createFolder("x"), TEN_PER_HOUR, "drain", "10s");
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("http"))) {
      socket.setSoTimeout(20_000);
      String body = RunningServer.checkBody("u", 1);
      String head = "POST /v1/check HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n";
      socket
          .getOutputStream()
          .write(head.formatted(body.length()).getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().write(body.substring(0, 5).getBytes(StandardCharsets.UTF_8));
      assertThat(server.checkStatus("other"))
          .as("the first request has arrived, too")
          .isEqualTo(200);
      CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
      Await.until(
          Duration.ofSeconds(10),
          "no more connections are accepted",
          () -> !acceptsConnections(server));
      socket.getOutputStream().write(body.substring(5).getBytes(StandardCharsets.UTF_8));
      byte[] answer = new byte[15];
      assertThat(socket.getInputStream().readNBytes(answer, 0, 15)).isEqualTo(15);
      assertThat(new String(answer, StandardCharsets.UTF_8)).isEqualTo("HTTP/1.1 200 OK");
      stopped.join();
    }
  }

  private static boolean acceptsConnections(RunningServer server) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("http"))) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void listenersOnRandomPorts_useDifferentPorts() throws IOException {
    try (RunningServer server =
        RunningServer.start(createFolder("x"), TEN_PER_HOUR, "grpc-port", "0", "admin-port", "0")) {
      assertThat(Set.of(server.port("http"), server.port("grpc"), server.port("admin"))).hasSize(3);
      for (int i = 0; i < 10; i++) {
        assertThat(server.checkStatus("u")).isEqualTo(200);
      }
    }
  }

  @Test
  void portIsInUse_startFailsWithOneLineMessage() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      Path here = createFolder("x");
      assertThatThrownBy(() -> RunningServer.start(here, TEN_PER_HOUR, "http-port", port))
          .isInstanceOf(StartException.class)
          .hasMessageContaining("http: cannot listen on 127.0.0.1:" + port)
          .hasMessageContaining("set another --http-port, or off")
          .satisfies(e -> assertThat(String.valueOf(e.getMessage()).lines()).hasSize(1));
    }
  }

  @Test
  void dataDirectoryCannotBeCreated_startFailsWithOneLineMessage() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "a file");
    Path here = createFolder("x");
    assertThatThrownBy(
            () -> RunningServer.start(here, TEN_PER_HOUR, "data", file.resolve("data").toString()))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("is not writable")
        .hasMessageContaining("--data");
  }

  @Test
  void invalidRules_startFailsWithTheirPosition() throws IOException {
    Path here = createFolder("x");
    assertThatThrownBy(() -> RunningServer.start(here, "rules: [{id: api, limt: 10/hour}]"))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("rules.yaml:1:")
        .hasMessageContaining("did you mean limit?");
  }

  @Test
  void certificateIsConfigured_decisionApiUsesTls() throws Exception {
    TestCertificate certificate = TestCertificate.create(folder);
    HttpClient client = HttpClient.newBuilder().sslContext(certificate.trustingContext()).build();
    try (RunningServer server =
        RunningServer.start(
            createFolder("x"),
            TEN_PER_HOUR,
            "tls-cert",
            certificate.cert().toString(),
            "tls-key",
            certificate.key().toString())) {
      URI uri = URI.create("https://localhost:" + server.port("http") + "/v1/check");
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(uri)
                  .POST(BodyPublishers.ofString(RunningServer.checkBody("u", 1)))
                  .build(),
              BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(server.server().summary()).contains("https://");
    }
  }

  @Test
  void certificateWithoutKey_startFails() {
    TestCertificate certificate = TestCertificate.create(folder);
    assertThatThrownBy(
            () ->
                RunningServer.start(
                    folder, TEN_PER_HOUR, "tls-cert", certificate.cert().toString()))
        .hasMessageContaining("--tls-key");
  }

  @Test
  void connectionsAboveTheLimit_areClosed() throws IOException {
    try (RunningServer server =
        RunningServer.start(createFolder("x"), TEN_PER_HOUR, "max-connections", "1")) {
      try (Socket first = firstServedConnection(server)) {
        for (int i = 0; i < 20; i++) {
          try (Socket another = connect(server)) {
            assertThat(isAnswered(another)).isFalse();
          }
        }
        assertThat(isAnswered(first)).as("the first connection is still served").isTrue();
      }
      firstServedConnection(server).close(); // rejected connections do not count
    }
  }

  private static Socket connect(RunningServer server) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), server.port("http"));
  }

  /** Retries, since an earlier connection, such as that of the warm-up, may not be closed yet. */
  private static Socket firstServedConnection(RunningServer server) {
    Socket[] last = new Socket[1];
    Await.until(
        Duration.ofSeconds(10),
        "a connection is served",
        () -> {
          try {
            last[0] = connect(server);
            if (!isAnswered(last[0])) {
              last[0].close();
              return false;
            }
            return true;
          } catch (IOException e) {
            return false;
          }
        });
    return last[0];
  }

  private static boolean isAnswered(Socket socket) throws IOException {
    socket.setSoTimeout(10_000);
    byte[] request =
        "GET /v1/openapi.json HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.UTF_8);
    try {
      socket.getOutputStream().write(request);
      byte[] buffer = new byte[65_536];
      return socket.getInputStream().read(buffer) > 0;
    } catch (IOException e) {
      return false;
    }
  }
}
