package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.RunningServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code weir check} against a real server, and against peers that are not Weir. */
class CheckCommandTest {
  private static final String RULES =
      """
      rules:
        - {id: api, match: {endpoint: "GET /**"}, per: [user], limit: 5/hour}
        - {id: tried, per: [user], limit: 1/hour, shadow: true}
        - {id: queue, match: {endpoint: "POST /mail"}, limit: 1/second, burst: 3, algorithm: leaky-bucket}
      """;

  @TempDir static Path folder;
  private static RunningServer server;
  private static String url;

  @BeforeAll
  static void start() {
    server = RunningServer.start(folder, RULES);
    url = "http://127.0.0.1:" + server.port("http");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static CommandRun check(String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = "check";
    all[1] = "--server";
    all[2] = url;
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    return CommandRun.of(all);
  }

  @Test
  void allowedRequest_printsRemainingAndRules() {
    CommandRun ran = check("user=ann", "endpoint=GET /x?a=b", "--cost", "2");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.exitCode()).isZero();
    assertThat(ran.out().lines())
        .containsExactly(
            "allowed by api: 3 of 5 left",
            "",
            "rule   result                     limit  remaining  reset  retry after",
            "api    allowed                        5          3  24m    -",
            "tried  would be refused (shadow)      1          1  0s     -");
  }

  @Test
  void refusedRequest_printsRetryAfterAndIsCharged() {
    assertThat(check("user=bob", "endpoint=GET /x", "--cost", "5").exitCode()).isZero();
    CommandRun ran = check("user=bob", "endpoint=GET /x");
    assertThat(ran.exitCode()).isEqualTo(CheckCommand.EXIT_REFUSED);
    assertThat(ran.out()).startsWith("refused by api: 0 of 5 left, retry after 1");
    assertThat(ran.out()).contains("api    refused");
  }

  @Test
  void peek_chargesNothing() {
    for (int i = 0; i < 3; i++) {
      assertThat(check("user=eve", "endpoint=GET /x", "--peek", "--cost", "5").exitCode()).isZero();
    }
    check("user=eve", "endpoint=GET /x", "--cost", "5");
    assertThat(check("user=eve", "endpoint=GET /x", "--peek").exitCode())
        .isEqualTo(CheckCommand.EXIT_REFUSED);
  }

  @Test
  void storeUnavailable_remainingIsUnknown(@TempDir Path other) {
    try (RunningServer disconnected =
        RunningServer.start(
            other, "rules: [{id: api, limit: 5/hour}]", "store", "redis://127.0.0.1:1")) {
      String address = "http://127.0.0.1:" + disconnected.port("http");
      CommandRun ran = CommandRun.of("check", "--server", address, "user=ann");
      assertThat(ran.exitCode()).isZero();
      assertThat(ran.out())
          .startsWith("allowed by api: unknown of 5 left")
          .contains("degraded: the store did not answer in time")
          .containsPattern("api +allowed +5 +unknown");
      CommandRun never = CommandRun.of("check", "--server", address, "user=ann", "--cost", "6");
      assertThat(never.exitCode()).isEqualTo(CheckCommand.EXIT_REFUSED);
      assertThat(never.out())
          .startsWith("refused by api: a cost of 6 always exceeds its limit of 5");
    }
  }

  @Test
  void costAboveLimit_isReportedAsNeverFitting() {
    CommandRun ran = check("user=joe", "endpoint=GET /x", "--cost", "6");
    assertThat(ran.exitCode()).isEqualTo(CheckCommand.EXIT_REFUSED);
    assertThat(ran.out()).startsWith("refused by api: a cost of 6 always exceeds its limit of 5\n");
  }

  @Test
  void noRuleOrLeakyBucket_printsAllowedOrDelay() {
    assertThat(check().out()).isEqualTo("allowed, no rule enforced\n");
    check("endpoint=POST /mail", "--cost", "2");
    assertThat(check("endpoint=POST /mail").out()).contains("delay the request by ");
  }

  @Test
  void jsonOption_printsServerResponseUnchanged() {
    CommandRun ran = check("user=\u00e4\"\n", "endpoint=GET /", "--json");
    JsonObject response = new JsonObject(ran.out());
    assertThat(response.getBoolean("allowed")).isTrue();
    assertThat(response.getJsonArray("rules").size()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "user|an attribute must be name=value (was 'user'), for example user=42",
        "=42|an attribute must be name=value (was '=42'), for example user=42",
        "user=\uFFFD|'user=\uFFFD' cannot be read in this locale",
        "--cost=-1|cost must be",
        "--cost=many|Invalid value for option '--cost': 'many' is not a long; try weir check --help",
        "--coast=1|unknown option '--coast', did you mean --cost? Try weir check --help",
      })
  void invalidArgument_isOneLineError(String argument, String reason) {
    CommandRun ran = check(argument);
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).startsWith("weir: " + reason).hasLineCount(1);
  }

  @Test
  void duplicateAttribute_isError() {
    assertThat(check("a=1", "a=2").err())
        .isEqualTo("weir: attribute 'a' is given twice; keep one\n");
  }

  @Test
  void noServerAtAddress_isOneLineError() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    CommandRun ran = CommandRun.of("check", "user=1", "--server", "http://127.0.0.1:" + free);
    assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
    assertThat(ran.err())
        .isEqualTo(
            "weir: http://127.0.0.1:%d cannot be reached; start a server there with weir serve, or use --server URL%n"
                .formatted(free));
  }

  @Test
  void invalidServerUrl_isError() {
    assertThat(CommandRun.of("check", "--server", "localhost:8080").err())
        .isEqualTo(
            "weir: server must be a URL such as http://127.0.0.1:8080 (was 'localhost:8080')\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nhi|is not a Weir decision API; use --server URL",
        "HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n[]|is not a Weir decision API; use --server URL",
        "HTTP/1.1 200 OK\\r\\nContent-Length: 16\\r\\n\\r\\n{\"allowed\":true}|is not a Weir decision API; use --server URL",
        "HTTP/1.1 404 no\\r\\nContent-Length: 1\\r\\n\\r\\nx|responded with 404, and may not be Weir",
        "HTTP/1.1 503 no\\r\\nContent-Length: 18\\r\\n\\r\\n{\"message\":\"busy\"}|responded with 503: busy",
        "SSH-2.0-OpenSSH\\r\\n|did not respond in HTTP",
      })
  void responseNotFromWeir_isOneLineError(String response, String reason) throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> served = serveOnce(socket, response.translateEscapes());
      String address = "http://127.0.0.1:" + socket.getLocalPort();
      CommandRun ran = CommandRun.of("check", "user=1", "--server", address);
      assertThat(ran.exitCode()).isEqualTo(Main.EXIT_ERROR);
      assertThat(ran.err()).startsWith("weir: " + address + " " + reason).hasLineCount(1);
      served.join();
    }
  }

  /** Accepts one connection, reads the request and sends the response. */
  private static CompletableFuture<Void> serveOnce(ServerSocket socket, String response) {
    return CompletableFuture.runAsync(
        () -> {
          try (Socket client = socket.accept();
              InputStream in = client.getInputStream();
              OutputStream out = client.getOutputStream()) {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("}}") < 0 && head.indexOf("\"cost\":1}") < 0) {
              head.append((char) in.read());
            }
            out.write(response.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }
}
