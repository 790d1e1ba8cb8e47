package io.weir.server.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.weir.server.RunningServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract of a real proxy that requests a decision from Weir before it forwards, run with the
 * documented configuration.
 */
abstract class AuthRequestProxyContract {
  private static final String RULES =
      """
      rules:
        - {id: per-address, match: {path: /x/**}, per: [ip], limit: 3/hour}
        - {id: login, match: {endpoint: "GET /login"}, per: [ip], limit: 1/hour}
      """;

  /** Statuses of requests that Weir refuses or the proxy rejects as malformed. */
  private static final List<Integer> REFUSED = List.of(429, 400, 414, 431, 500);

  @TempDir Path folder;

  private final List<String> forwardedRequests = new CopyOnWriteArrayList<>();
  private HttpServer upstream;

  abstract ProxyProcess start(Path folder, Map<String, String> addresses);

  @BeforeEach
  void startUpstream() throws IOException {
    upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    upstream.createContext(
        "/",
        exchange -> {
          forwardedRequests.add(
              exchange.getRequestMethod()
                  + " "
                  + exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("X-Forwarded-For"));
          boolean forbidden = exchange.getRequestURI().getPath().startsWith("/forbidden");
          byte[] body = (forbidden ? "no" : "ok").getBytes(java.nio.charset.StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(forbidden ? 403 : 200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    upstream.start();
  }

  @AfterEach
  void stopUpstream() {
    upstream.stop(0);
  }

  private RunningServer startWeir(String... flags) {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "identity-trusted-proxies";
    all[1] = "127.0.0.1";
    return RunningServer.start(folder, RULES, all);
  }

  private ProxyProcess startProxy(int weir) {
    return startProxy(weir, "30s"); // generous, for busy machines
  }

  private ProxyProcess startProxy(int weir, String wait) {
    return start(
        folder,
        Map.of(
            "127.0.0.1:8080",
            "127.0.0.1:" + weir,
            "200ms",
            wait,
            "127.0.0.1:3000",
            "127.0.0.1:" + upstream.getAddress().getPort()));
  }

  private static String field(HttpResponse<String> answer, String name) {
    return String.join("|", answer.headers().allValues(name));
  }

  @Test
  void requestsAboveTheLimit_areRefused() {
    try (RunningServer weir = startWeir();
        ProxyProcess proxy = startProxy(weir.port("http"))) {
      for (int left = 2; left >= 0; left--) {
        HttpResponse<String> answer =
            proxy.get(
                "/x/y?z=" + left, "X-Forwarded-For", "6.6.6." + left, "Forwarded", "for=1.1.1.1");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("ok");
        assertThat(field(answer, "X-RateLimit-Limit")).isEqualTo("3");
        assertThat(field(answer, "X-RateLimit-Remaining")).isEqualTo("" + left);
        assertThat(field(answer, "RateLimit")).startsWith("\"per-address\";r=" + left);
        assertThat(forwardedRequests).last().isEqualTo("GET /x/y?z=" + left + " 127.0.0.1");
      }
      HttpResponse<String> refused = proxy.get("/x/y", "X-Forwarded-For", "7.7.7.7");
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.body())
          .matches(
              "\\{\"error\":\"rate_limited\",\"rule\":\"per-address\",\"retry_after_seconds\":1[12]\\d\\d\\}");
      assertThat(field(refused, "Content-Type")).startsWith("application/json");
      assertThat(field(refused, "Retry-After")).matches("1[12]\\d\\d");
      assertThat(field(refused, "X-RateLimit-Remaining")).isEqualTo("0");
      assertThat(field(refused, "RateLimit-Policy")).isEqualTo("\"per-address\";q=3;w=3600");
      assertThat(forwardedRequests).hasSize(3);
      HttpResponse<String> free = proxy.get("/free");
      assertThat(free.statusCode()).as("no rule matches").isEqualTo(200);
      assertThat(field(free, "X-RateLimit-Limit")).isEmpty();
    }
  }

  @Test
  void pathSpellings_cannotBypassARule() {
    try (RunningServer weir = startWeir();
        ProxyProcess proxy = startProxy(weir.port("http"))) {
      assertThat(proxy.get("/login").statusCode()).isEqualTo(200);
      for (String path : List.of("/%6cogin", "//login", "/a/../login", "/login;v=1", "/login/")) {
        assertThat(proxy.get(path).statusCode()).as(path).isEqualTo(429);
      }
      assertThat(proxy.get("/x%2f..%2flogin").statusCode()).isEqualTo(400);
      assertThat(forwardedRequests).hasSize(1);
    }
  }

  @Test
  void callerDescribesAnotherRequest_forwardedRequestIsCharged() {
    String[] other = {
      "X-Original-Method", "DELETE", "X-Original-URI", "/free",
      "X-Forwarded-Method", "DELETE", "X-Forwarded-Uri", "/free",
    };
    try (RunningServer weir = startWeir();
        ProxyProcess proxy = startProxy(weir.port("http"))) {
      assertThat(proxy.get("/login", other).statusCode()).isEqualTo(200);
      assertThat(proxy.get("/login", other).statusCode()).isEqualTo(429);
      assertThat(forwardedRequests).hasSize(1);
    }
  }

  @Test
  void headersOfAnySize_neverPassUncounted() {
    try (RunningServer weir = startWeir();
        ProxyProcess proxy = startProxy(weir.port("http"))) {
      assertThat(proxy.get("/login").statusCode()).isEqualTo(200);
      for (int length = 1_000; length <= 17_000; length += 200) {
        String padding = "x".repeat(length);
        int status = proxy.get("/login", "X-Padding", padding).statusCode();
        assertThat(status).as(length + " bytes of header").isIn(REFUSED);
        status = proxy.get("/login?" + padding).statusCode();
        assertThat(status).as(length + " bytes of query").isIn(REFUSED);
        status =
            proxy
                .get(
                    "/login?" + padding.substring(length / 2),
                    "X-Padding",
                    padding.substring(length / 2))
                .statusCode();
        assertThat(status).as(length + " bytes of both").isIn(REFUSED);
      }
      assertThat(forwardedRequests).hasSize(1);
    }
  }

  @Test
  void headersOfAnyNumber_neverPassUncounted() {
    try (RunningServer weir = startWeir();
        ProxyProcess proxy = startProxy(weir.port("http"))) {
      assertThat(proxy.get("/login").statusCode()).isEqualTo(200);
      for (int count = 80; count < 120; count++) {
        String[] many = new String[2 * count];
        for (int i = 0; i < count; i++) {
          many[2 * i] = "X-" + i;
          many[2 * i + 1] = "y";
        }
        int status = proxy.get("/login", many).statusCode();
        assertThat(status).as(count + " header fields").isIn(REFUSED);
      }
      assertThat(forwardedRequests).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {302, 400, 404, 413, 414, 431})
  void weirAnswersSomethingUnexpected_nothingIsForwarded(int status) throws IOException {
    HttpServer weir =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    weir.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    weir.start();
    try (ProxyProcess proxy = startProxy(weir.getAddress().getPort())) {
      int answer = proxy.get("/x/y").statusCode();
      assertThat(answer).isIn(400, 500);
      assertThat(forwardedRequests).isEmpty();
    } finally {
      weir.stop(0);
    }
  }

  @Test
  void upstreamAnswers403_isForwarded() {
    try (RunningServer weir = startWeir();
        ProxyProcess proxy = startProxy(weir.port("http"))) {
      HttpResponse<String> answer = proxy.get("/forbidden");
      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(answer.body()).isEqualTo("no");
    }
  }

  @Test
  void identityIsRequired_anonymousCallerGets401() {
    String secret = "a-secret-of-the-tests-that-is-long-enough";
    try (RunningServer weir =
            startWeir("identity-jwt-secret", secret, "identity-required", "true");
        ProxyProcess proxy = startProxy(weir.port("http"))) {
      HttpResponse<String> answer = proxy.get("/free", "Authorization", "Bearer guess");
      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(field(answer, "WWW-Authenticate")).isEqualTo("Bearer");
      assertThat(forwardedRequests).isEmpty();
    }
  }

  @Test
  void weirIsUnavailable_requestsPass() {
    int port;
    try (RunningServer weir = startWeir()) {
      port = weir.port("http");
    }
    try (ProxyProcess proxy = startProxy(port)) {
      HttpResponse<String> answer = proxy.get("/x/y");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(field(answer, "X-RateLimit-Limit")).isEmpty();
    }
  }

  @Test
  void weirDoesNotAnswer_requestIsNotRetried() throws IOException {
    List<String> authRequests = new CopyOnWriteArrayList<>();
    HttpServer silent =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    silent.createContext("/", exchange -> authRequests.add(exchange.getRequestURI().getPath()));
    silent.start();
    try (ProxyProcess proxy = startProxy(silent.getAddress().getPort(), "200ms")) {
      assertThat(proxy.get("/x/y").statusCode()).isEqualTo(200);
      assertThat(authRequests).containsExactly("/v1/auth");
    } finally {
      silent.stop(0);
    }
  }
}
