package io.weir.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.internal.store.MemoryStore;
import io.weir.rules.Rules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests need the token, and cross-origin requests are rejected. */
@Timeout(60)
class TokenAuthTest {
  private AdminTestServer server;

  @BeforeEach
  void open() {
    server = new AdminTestServer(Rules.parse("rules: [{id: api, per: [user], limit: 5/hour}]"));
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void protectedRoute_withoutValidToken_respondsWith401() {
    JsonObject paths = server.json("/admin/openapi.json").getJsonObject("paths");
    int protectedRoutes = 0;
    for (String path : paths.fieldNames()) {
      for (Map.Entry<String, Object> operation : paths.getJsonObject(path)) {
        if (path.startsWith("/admin/")) {
          protectedRoutes++;
          String method = operation.getKey().toUpperCase(Locale.ROOT);
          assertThat(((JsonObject) operation.getValue()).containsKey("security")).isTrue();
          assertUnauthorized(method, path.replace("{id}", "api"));
        }
      }
    }
    assertThat(protectedRoutes).isPositive();
    for (String path :
        List.of("/admin", "/admin/", "/admin/none", "//admin/rules", "/dashboard/none.js")) {
      assertUnauthorized("GET", path);
    }
    assertUnauthorized("PATCH", "/admin/rules");
  }

  private void assertUnauthorized(String method, String path) {
    for (String header :
        new String[] {null, "", "Bearer ", "Bearer wrong-wrong-wrong", AdminTestServer.TOKEN}) {
      server.clock.advance(Duration.ofSeconds(5));
      HttpRequest.Builder request = server.request(method, path, "");
      if (header != null) {
        request.header("Authorization", header);
      }
      HttpResponse<String> response = server.exchange(request);
      assertThat(response.statusCode()).as(method + " " + path + " " + header).isEqualTo(401);
      assertThat(response.headers().firstValue("www-authenticate"))
          .hasValueSatisfying(challenge -> assertThat(challenge).startsWith("Bearer realm="));
      assertThat(response.body()).contains("unauthorized").doesNotContain("wrong-wrong");
    }
  }

  @Test
  void authorizationScheme_isCaseInsensitive() {
    HttpRequest.Builder request = server.request("GET", "/admin/openapi.json", "");
    request.header("Authorization", "bearer " + AdminTestServer.TOKEN);
    assertThat(server.exchange(request).statusCode()).isEqualTo(200);
    request.header("Authorization", "Bearer " + AdminTestServer.TOKEN);
    assertThat(server.exchange(request).statusCode()).as("two headers").isEqualTo(401);
  }

  @Test
  void tooManyWrongTokens_areRateLimitedBeforeTheCheck() {
    for (int i = 0; i < 20; i++) {
      assertThat(guess("guess-" + i).statusCode()).isEqualTo(401);
    }
    HttpResponse<String> refused = guess("guess");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("retry-after")).contains("1");
    assertThat(guess(AdminTestServer.TOKEN).statusCode())
        .as("the right token is not checked either")
        .isEqualTo(429);
    server.clock.advance(Duration.ofSeconds(1));
    for (int i = 0; i < 50; i++) {
      assertThat(guess(AdminTestServer.TOKEN).statusCode())
          .as("right tokens are not limited")
          .isEqualTo(200);
    }
  }

  private HttpResponse<String> guess(String token) {
    return server.exchange(
        server
            .request("GET", "/admin/openapi.json", "")
            .header("Authorization", "Bearer " + token));
  }

  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:PORT, 200",
    "http://127.0.0.1:1, 403",
    "http://127.0.0.1, 403",
    "http://evil.example, 403",
    "http://evil.example:PORT, 403",
    "http://127.0.0.1.evil.example:PORT, 403",
    "null, 403",
    "'', 403",
    "::, 403"
  })
  void crossOriginRequest_isRejected(String origin, int status) {
    String real = origin.replace("PORT", String.valueOf(server.port()));
    HttpResponse<String> response = server.send("GET", "/admin/openapi.json", "", "Origin", real);
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.headers().map().keySet()).noneMatch(n -> n.startsWith("access-control"));
    assertThat(
            server
                .exchange(server.request("GET", "/metrics", "").header("Origin", real))
                .statusCode())
        .isEqualTo(status);
  }

  @Test
  void everyResponse_hasSecurityHeaders() {
    for (String path : List.of("/health", "/admin/openapi.json", "/nowhere")) {
      Map<String, List<String>> headers = server.get(path).headers().map();
      assertThat(headers.get("content-security-policy"))
          .containsExactly("default-src 'none'; frame-ancestors 'none'");
      assertThat(headers.get("x-content-type-options")).containsExactly("nosniff");
      assertThat(headers.get("cache-control")).containsExactly("no-store");
      assertThat(headers.get("referrer-policy")).containsExactly("no-referrer");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"evil.example", "evil.example:9090", "10.0.0.1", "localhost.evil", "@:"})
  void loopbackListener_rejectsForeignHostNames(String host) throws IOException {
    assertThat(statusLine(server, host)).startsWith("HTTP/1.1 421");
    assertThat(statusLine(server, "LOCALHOST:1234")).startsWith("HTTP/1.1 200");
    assertThat(statusLine(server, "[::1]")).startsWith("HTTP/1.1 200");
  }

  @Test
  void publicListener_acceptsAnyHostName() throws IOException {
    try (AdminTestServer publicServer =
        new AdminTestServer(
            Rules.parse("rules: []"), (clock, a) -> new MemoryStore(clock), "0.0.0.0")) {
      assertThat(statusLine(publicServer, "weir.example")).startsWith("HTTP/1.1 200");
    }
  }

  private static String statusLine(AdminTestServer adminServer, String host) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), adminServer.port())) {
      socket.setSoTimeout((int) AdminTestServer.TIMEOUT.toMillis());
      String head = "GET /health HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }
}
