package io.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The access log of the gateway: one line for each request, whatever its end. */
class GatewayAccessLogTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path folder;

  private Path logFile() {
    return folder.resolve("access.log");
  }

  private RunningServer gateway(String rules, RecordingUpstream up, String... flags) {
    return GatewayTestServer.start(
        folder,
        rules,
        Stream.concat(
                Stream.of("upstream", up.url(), "gateway-access-log-target", "file:" + logFile()),
                Stream.of(flags))
            .toArray(String[]::new));
  }

  private List<String> lines(int count) {
    Await.until(TIMEOUT, count + " lines are logged", () -> lines().size() >= count);
    assertThat(lines()).hasSize(count);
    return lines();
  }

  private List<String> lines() {
    try {
      return Files.exists(logFile()) ? Files.readAllLines(logFile()) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String lineWith(List<String> lines, String text) {
    return lines.stream().filter(line -> line.contains(text)).findAny().orElseThrow();
  }

  private static String get(String target, String... fields) {
    return "GET " + target + " HTTP/1.1\r\nHost: h\r\n" + String.join("", fields) + "\r\n";
  }

  @Test
  void everyEnd_isOneLineWithItsReason() throws Exception {
    int closedPort;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closedPort = free.getLocalPort();
    }
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            gateway(
                "rules: [{id: once, match: {path: /once}, limit: 1/hour}]",
                up,
                "access-log",
                "json",
                "gateway-reason-header",
                "true",
                "gateway-routes",
                "/gone=http://127.0.0.1:" + closedPort)) {
      int port = server.port("gateway");
      RawHttpClient.exchange(
          port,
          get(
              "/once?token=secret",
              "X-Request-ID: abc-1\r\n",
              "Authorization: Bearer secret\r\n",
              "User-Agent: test \"1\"\r\n",
              "Referer: http://a/b?secret\r\n"));
      assertThat(up.lastRequestHeader("X-Request-ID")).isEqualTo("abc-1");
      RawHttpClient.exchange(port, get("/once"));
      assertThat(RawHttpClient.exchange(port, get("/gone")))
          .startsWith("HTTP/1.1 502")
          .contains("X-Weir-Reason: unreachable");
      RawHttpClient.exchange(port, "GET /x HTTP/1.1\r\n\r\n");
      List<String> lines = lines(4);
      assertThat(lineWith(lines, "abc-1"))
          .contains("\"id\":\"abc-1\"", "\"ip\":\"127.0.0.1\"", "\"method\":\"GET\"")
          .contains("\"host\":\"h\"", "\"path\":\"/once\"", "\"protocol\":\"HTTP/1.1\"")
          .contains("\"status\":200", "\"bytes_in\":0", "\"bytes_out\":2")
          .contains("\"decision\":\"allowed\"", "\"rule\":\"once\"")
          .contains("\"upstream\":\"127.0.0.1:" + up.port() + "\"", "\"upstream_ms\":")
          .contains("\"user_agent\":\"test \\\"1\\\"\"")
          .doesNotContain("reason");
      assertThat(lineWith(lines, ":429"))
          .contains("\"status\":429", "\"decision\":\"refused\"", "\"reason\":\"refused\"")
          .doesNotContain("\"upstream\"");
      assertThat(lineWith(lines, "/gone"))
          .contains("\"status\":502", "\"reason\":\"unreachable\"")
          .contains("Connection refused");
      assertThat(lineWith(lines, "\"/x\""))
          .contains("\"status\":400", "\"reason\":\"bad_request\"");
      assertThat(lines).noneMatch(line -> line.contains("secret"));
    }
  }

  @Test
  void callerThatLeaves_isLogged() {
    try (RecordingUpstream up =
            RecordingUpstream.withScript((head, in, out) -> in.read() > Integer.MAX_VALUE - 1);
        RunningServer server = gateway(GatewayProxyTest.NO_RULES, up, "access-log", "json")) {
      try (RawHttpClient caller = RawHttpClient.connect(server.port("gateway"))) {
        caller.send(get("/"));
        Await.until(TIMEOUT, "the request is forwarded", () -> !up.requestHeads().isEmpty());
      }
      assertThat(lines(1).get(0)).contains("\"status\":0", "\"reason\":\"caller_closed\"");
    }
  }

  @Test
  void combinedFormat_isThatOfNginxAndOneMoreField() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(GatewayProxyTest.NO_RULES, up, "access-log", "combined")) {
      RawHttpClient.exchange(
          server.port("gateway"), get("/a?b", "User-Agent: x\"y\r\n", "X-Request-ID: 7\r\n"));
      assertThat(lines(1).get(0))
          .matches(
              "127\\.0\\.0\\.1 - - \\[../.../....:..:..:.. \\+0000\\] \"GET /a HTTP/1\\.1\" 200 2"
                  + " \"-\" \"x\\\\\"y\" \"id=7 ms=[0-9.]+ decision=allowed rule=-"
                  + " upstream=127\\.0\\.0\\.1:"
                  + up.port()
                  + " reason=-\"");
    }
  }

  @Test
  void sampledLog_hasOneOfSoManyRequestsAndAllFailures() {
    try (RecordingUpstream up =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  boolean fails = head.startsWith("GET /fail");
                  out.write(
                      (fails
                              ? RecordingUpstream.response("500 Error", "")
                              : RecordingUpstream.OK_RESPONSE)
                          .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
                  return true;
                });
        RunningServer server =
            gateway(
                GatewayProxyTest.NO_RULES,
                up,
                "access-log",
                "json",
                "gateway-access-log-sample",
                "10")) {
      for (int i = 0; i < 50; i++) {
        RawHttpClient.exchange(server.port("gateway"), get(i % 10 == 5 ? "/fail" : "/"));
      }
      assertThat(lines(10)).filteredOn(line -> line.contains("\"status\":500")).hasSize(5);
    }
  }
}
