package io.weir.server.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.RunningServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed bodies are answered with a reason and charge nothing. */
@Tag("slow")
class MalformedBodyTest {
  @TempDir static Path folder;
  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = RunningServer.start(folder, "rules: [{id: api, per: [user], limit: 1/hour}]");
  }

  @AfterAll
  static void stop() {
    try (RunningServer stopping = server) {
      assertThat(stopping.checkStatus("u")).as("nothing was charged").isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "[]",
        "1",
        "\"x\"",
        "{",
        "{}",
        "{\"attributes\":null}",
        "{\"attributes\":[]}",
        "{\"attributes\":\"user\"}",
        "{\"attributes\":{\"user\":1}}",
        "{\"attributes\":{\"user\":null}}",
        "{\"attributes\":{\"user\":{\"a\":\"b\"}}}",
        "{\"attributes\":{\"user\":[\"u\"]}}",
        "{\"attributes\":{\"user\":\"u\",\"user\":\"u\"}}",
        "{\"attributes\":{\"user\":\"u\"},\"attributes\":{\"user\":\"u\"}}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":0}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":-1}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":1.5}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":1.0}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":1e0}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":\"1\"}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":null}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":true}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":NaN}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":9007199254740993}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":9223372036854775808}",
        "{\"attributes\":{\"user\":\"u\"},\"cost\":99999999999999999999999999999999}",
        "{\"attributes\":{\"user\":\"u\"},\"Cost\":1}",
        "{\"attributes\":{\"user\":\"u\"},\"ttl_ms\":1}",
        "{\"attributes\":{\"user\":\"u\"}} {}",
        "{\"attributes\":{\"user\":\"u\"}}x",
        "{'attributes':{'user':'u'}}",
        "{\"attributes\":{\"user\":\"u\",}}",
        "/* c */{\"attributes\":{\"user\":\"u\"}}",
        "{\"attributes\":{\"user\":\"\\ud800\"},\"cost\":\"\"}",
        "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{}}}}}}}}}}"
      })
  void malformedBody_is400WithAReason(String body) {
    for (String path : new String[] {"/v1/check", "/v1/peek"}) {
      HttpResponse<String> response = server.post(path, body);
      assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
      JsonObject error = new JsonObject(response.body());
      assertThat(error.getString("error")).isEqualTo("bad_request");
      assertThat(error.getString("message")).isNotBlank().doesNotContain("Exception", "at [Source");
    }
    if (!body.contains("ttl_ms")) {
      assertThat(server.post("/v1/reserve", body).statusCode()).isEqualTo(400);
    }
    HttpResponse<String> batch = server.post("/v1/check-batch", "{\"checks\":[" + body + ",1]}");
    assertThat(batch.statusCode()).isEqualTo(400);
  }

  @Test
  void misspelledField_isAnsweredWithTheNearestName() {
    assertThat(server.post("/v1/check", "{\"atributes\":{}}").body())
        .contains("did you mean attributes?");
  }

  @Test
  void batchWithOneMalformedCheck_chargesNothing() {
    String body = "{\"checks\":[" + RunningServer.checkBody("u", 1) + ",{\"attributes\":1}]}";
    HttpResponse<String> response = server.post("/v1/check-batch", body);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("checks[1]");
  }

  @Test
  void tooLongBody_isRejected() {
    String body = "{\"attributes\":{\"user\":\"" + "u".repeat(70_000) + "\"}}";
    HttpResponse<String> response = server.post("/v1/check", body);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("64 KiB");
  }

  @Test
  void endlessBody_isRejected() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("http"))) {
      socket.setSoTimeout(10_000);
      String head = "POST /v1/check HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(ISO_8859_1));
      byte[] chunk = ("1000\r\n" + "x".repeat(0x1000) + "\r\n").getBytes(ISO_8859_1);
      for (int i = 0; i < 17; i++) {
        socket.getOutputStream().write(chunk);
      }
      byte[] answer = new byte[64];
      int read = socket.getInputStream().read(answer);
      assertThat(new String(answer, 0, read, ISO_8859_1)).startsWith("HTTP/1.1 400");
    }
  }

  @Test
  void slowBody_isAnswered408() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("http"))) {
      socket.setSoTimeout(1000);
      String head = "POST /v1/check HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(ISO_8859_1));
      byte[] answer = new byte[64];
      int read = 0;
      for (int i = 0; i < 60 && read == 0; i++) {
        socket.getOutputStream().write(' ');
        try {
          read = socket.getInputStream().read(answer);
        } catch (SocketTimeoutException e) {
          read = 0; // no response yet
        }
      }
      assertThat(new String(answer, 0, read, ISO_8859_1)).startsWith("HTTP/1.1 408");
    }
  }

  @Test
  void unknownPath_is404AndUnknownMethodIs405() {
    assertThat(server.post("/v1/chek", "{}").statusCode()).isEqualTo(404);
    assertThat(server.send("GET", "/", "").statusCode()).isEqualTo(404);
    HttpResponse<String> get = server.send("GET", "/v1/check", "");
    assertThat(get.statusCode()).isEqualTo(405);
    assertThat(get.headers().firstValue("allow")).contains("POST");
    assertThat(server.send("PUT", "/v1/reservations/a/commit", "").statusCode()).isEqualTo(405);
  }

  @Test
  void randomBytes_doNotAffectOtherRequests() throws IOException {
    Random random = new Random(7);
    for (int i = 0; i < 200; i++) {
      byte[] bytes = new byte[1 + random.nextInt(300)];
      random.nextBytes(bytes);
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("http"))) {
        socket.getOutputStream().write(bytes);
      }
    }
    assertThat(server.post("/v1/peek", RunningServer.checkBody("p", 1)).statusCode())
        .isEqualTo(200);
  }

  @Test
  void tooLongHeaders_areRejected() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("http"))) {
      socket.setSoTimeout(10_000);
      String head = "GET / HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(20_000) + "\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(ISO_8859_1));
      byte[] answer = new byte[64];
      int read = socket.getInputStream().read(answer);
      assertThat(new String(answer, 0, read, ISO_8859_1)).startsWith("HTTP/1.1 431");
    }
  }
}
