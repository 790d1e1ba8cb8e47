package io.weir.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Decisions for proxies that hold a request back, as with nginx's {@code auth_request}. */
class AuthRequestHandlerTest {
  private static final String RULES =
      """
      rules:
        - {id: orders, match: {endpoint: "GET /v1/orders/**"}, per: [ip], limit: 1/hour}
        - {id: login, match: {endpoint: "POST /login"}, per: [ip], limit: 1/hour}
      """;

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();

  private HttpResponse<String> sendAuthRequest(RunningServer server, String... headers)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.port("http") + "/v1/auth");
    return client.send(
        HttpRequest.newBuilder(uri).headers(headers).build(), BodyHandlers.ofString());
  }

  @Test
  void refusedRequest_is403WithRateLimitHeaders() throws Exception {
    try (RunningServer server =
        RunningServer.start(folder, RULES, "identity-trusted-proxies", "127.0.0.0/8")) {
      String[] first = {
        "X-Original-Method",
        "GET",
        "X-Original-URI",
        "/v1/orders/7?x=1",
        "X-Forwarded-For",
        "1.2.3.4"
      };
      HttpResponse<String> allowed = sendAuthRequest(server, first);
      assertThat(allowed.statusCode()).isEqualTo(200);
      assertThat(allowed.headers().firstValue("X-RateLimit-Remaining")).contains("0");
      HttpResponse<String> refused = sendAuthRequest(server, first);
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();

      String[] spelled = first.clone();
      spelled[3] = "/v1/%6frders//8";
      assertThat(sendAuthRequest(server, spelled).statusCode())
          .as("another spelling")
          .isEqualTo(403);
      String[] another = first.clone();
      another[5] = "1.2.3.5";
      assertThat(sendAuthRequest(server, another).statusCode()).as("another caller").isEqualTo(200);
      String[] method = first.clone();
      method[1] = "POST";
      method[3] = "/login";
      assertThat(sendAuthRequest(server, method).statusCode()).as("another rule").isEqualTo(200);
      assertThat(
              sendAuthRequest(
                      server,
                      "X-Forwarded-Method",
                      "POST",
                      "X-Forwarded-Uri",
                      "/login",
                      "X-Forwarded-For",
                      "1.2.3.4")
                  .statusCode())
          .as("in the format of Traefik and Caddy")
          .isEqualTo(403);
    }
  }

  private static final String[] TRAEFIK_LOGIN = {
    "X-Forwarded-Method", "POST", "X-Forwarded-Uri", "/login"
  };

  private static String[] append(String[] headers, String... more) {
    return Stream.concat(Arrays.stream(headers), Arrays.stream(more)).toArray(String[]::new);
  }

  @Test
  void callerSendsTheOtherFormat_isRejectedAndCannotBypassARule() throws Exception {
    try (RunningServer server = RunningServer.start(folder, RULES)) {
      assertThat(sendAuthRequest(server, TRAEFIK_LOGIN).statusCode()).isEqualTo(200);
      assertThat(sendAuthRequest(server, TRAEFIK_LOGIN).statusCode()).isEqualTo(403);
      String[][] own = {
        {"X-Original-URI", "/else"},
        {"X-Original-Method", "GET"},
        {"X-Original-Method", "GET", "X-Original-URI", "/else"},
      };
      for (String[] headers : own) {
        HttpResponse<String> answer = sendAuthRequest(server, append(TRAEFIK_LOGIN, headers));
        assertThat(answer.statusCode()).as(String.join(" ", headers)).isEqualTo(400);
        assertThat(answer.body()).contains("auth-form");
      }
    }
  }

  @Test
  void duplicateDescription_isRejected() throws Exception {
    try (RunningServer server = RunningServer.start(folder, RULES)) {
      for (String[] headers :
          new String[][] {
            {"X-Original-URI", "/login", "X-Original-URI", "/else"},
            {"X-Original-URI", "/a", "X-Original-Method", "POST", "X-Original-Method", "GET"},
            append(TRAEFIK_LOGIN, "X-Forwarded-Uri", "/else"),
          }) {
        assertThat(sendAuthRequest(server, headers).statusCode()).isEqualTo(400);
      }
    }
  }

  @Test
  void authFormIsSet_theOtherFormatIsIgnored() throws Exception {
    String[] both =
        append(TRAEFIK_LOGIN, "X-Original-Method", "GET", "X-Original-URI", "/v1/orders/");
    Map<String, String> rules = Map.of("forwarded", "login", "original", "orders");
    for (var form : rules.entrySet()) {
      try (RunningServer server = RunningServer.start(folder, RULES, "auth-form", form.getKey())) {
        assertThat(sendAuthRequest(server, both).statusCode()).isEqualTo(200);
        HttpResponse<String> refused = sendAuthRequest(server, both);
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.headers().firstValue("X-Weir-Rule")).contains(form.getValue());
      }
    }
    try (RunningServer server = RunningServer.start(folder, RULES, "auth-form", "forwarded")) {
      HttpResponse<String> missing = sendAuthRequest(server, "X-Original-URI", "/login");
      assertThat(missing.statusCode()).isEqualTo(400);
      assertThat(missing.body()).contains("X-Forwarded-Uri");
    }
  }

  @Test
  void forwardedForOfUntrustedCaller_isIgnored() throws Exception {
    try (RunningServer server = RunningServer.start(folder, RULES)) {
      for (int i = 0; i < 3; i++) {
        int status =
            sendAuthRequest(
                    server, "X-Original-URI", "/v1/orders/7", "X-Forwarded-For", "9.9.9." + i)
                .statusCode();
        assertThat(status).isEqualTo(i == 0 ? 200 : 403);
      }
    }
  }

  @Test
  void unreadableDescription_isNotAllowed() throws Exception {
    try (RunningServer server = RunningServer.start(folder, RULES)) {
      assertThat(sendAuthRequest(server, "X-Original-URI", "/a%2fb").statusCode()).isEqualTo(403);
      HttpResponse<String> nothing = sendAuthRequest(server, "X-Other", "1");
      assertThat(nothing.statusCode()).isEqualTo(400);
      assertThat(nothing.body()).contains("X-Original-URI");
    }
  }

  @Test
  void identityIsRequired_anonymousCallerGets401() throws Exception {
    String[] flags = {
      "identity-required", "true", "identity-jwt-secret", "0123456789abcdef0123456789abcdef"
    };
    try (RunningServer server = RunningServer.start(folder, RULES, flags)) {
      HttpResponse<String> response = sendAuthRequest(server, "X-Original-URI", "/else");
      assertThat(response.statusCode()).isEqualTo(401);
      assertThat(response.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    }
  }
}
