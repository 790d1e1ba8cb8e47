package io.weir.server.envoy;

import static io.weir.server.envoy.EnvoyRequests.descriptor;
import static io.weir.server.envoy.EnvoyRequests.request;
import static io.weir.server.envoy.EnvoyRequests.withHits;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.redis.RedisStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.Await;
import io.weir.testkit.ToolRequirement;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A real Envoy, configured as in docs/guide/envoy.md, between a caller and a real upstream. Skipped
 * if Envoy is not installed.
 */
class RealEnvoyTest {
  private static final String RESPONSE_BODY = "x".repeat(1000);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static Path binary;

  @TempDir Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger upstreamRequests = new AtomicInteger();
  private final CompletableFuture<Void> releaseHeldRequest = new CompletableFuture<>();
  private HttpServer upstream;

  @BeforeAll
  static void findEnvoy() {
    Optional<Path> found = EnvoyBinary.find();
    if (found.isEmpty()) {
      System.out.println("RealEnvoyTest is skipped: " + EnvoyBinary.INSTALL_HINT);
    }
    ToolRequirement.require(found.isPresent(), EnvoyBinary.INSTALL_HINT);
    binary = found.get();
  }

  @BeforeEach
  void start() {
    upstream =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  upstreamRequests.incrementAndGet();
                  if (request.path().equals("/held")) {
                    var unused =
                        releaseHeldRequest.thenAccept(v -> request.response().end(RESPONSE_BODY));
                    return;
                  }
                  var unused = request.response().end(RESPONSE_BODY);
                })
            .listen(0, "127.0.0.1")
            .await();
  }

  @AfterEach
  void stop() {
    vertx.close().await();
  }

  @Test
  void limit_isEnforcedAndReported() {
    try (RunningRateLimitService service =
            new RunningRateLimitService(limiter(perUser("api", "3/day")));
        EnvoyProcess envoy = startEnvoy(configuration(service))) {
      for (int left = 2; left >= 0; left--) {
        HttpResponse<String> ok = envoy.get("/", "alice");
        assertThat(ok.statusCode()).isEqualTo(200);
        assertThat(ok.body()).isEqualTo(RESPONSE_BODY);
        assertThat(header(ok, "x-ratelimit-limit")).isEqualTo("3");
        assertThat(header(ok, "x-ratelimit-remaining")).isEqualTo("" + left);
        assertThat(header(ok, "ratelimit-policy")).isEqualTo("\"api\";q=3;w=86400");
      }
      HttpResponse<String> refused = envoy.get("/", "alice");
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(header(refused, "content-type")).isEqualTo("application/json");
      assertThat(header(refused, "x-ratelimit-remaining")).isEqualTo("0");
      int wait = Integer.parseInt(header(refused, "retry-after"));
      assertThat(wait).isBetween(1, 86_400);
      assertThat(refused.body())
          .matches("\\{\"error\":\"rate_limited\",\"rule\":\"api\",\"retry_after_seconds\":\\d+}");
      assertThat(upstreamRequests).as("a refusal does not reach the upstream").hasValue(3);
      assertThat(envoy.get("/", "bob").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void severalDescriptors_areDecidedTogether() {
    Rule perPath =
        Rule.named("path").match("path", "/**").per("user", "path").limit("1/day").build();
    try (RunningRateLimitService service =
            new RunningRateLimitService(limiter(perUser("api", "3/day"), perPath));
        EnvoyProcess envoy = startEnvoy(configuration(service))) {
      assertThat(envoy.get("/a", "alice").statusCode()).isEqualTo(200);
      for (int i = 0; i < 5; i++) {
        assertThat(envoy.get("/a", "alice").statusCode())
            .as("refused calls charge nothing")
            .isEqualTo(429);
      }
      assertThat(envoy.get("/b", "alice").statusCode()).isEqualTo(200);
      assertThat(envoy.get("/c", "alice").statusCode()).isEqualTo(200);
      assertThat(envoy.get("/d", "alice").statusCode()).as("of all paths").isEqualTo(429);
    }
  }

  @Test
  void shadowRule_neverLimits() {
    Rule shadow = perUser("shadow", "1/day").edit().shadow(true).build();
    try (RunningRateLimitService service = new RunningRateLimitService(limiter(shadow));
        EnvoyProcess envoy = startEnvoy(configuration(service))) {
      for (int i = 0; i < 4; i++) {
        HttpResponse<String> ok = envoy.get("/", "alice");
        assertThat(ok.statusCode()).isEqualTo(200);
        assertThat(ok.headers().map()).doesNotContainKey("x-ratelimit-limit");
      }
    }
  }

  @Test
  void envoyHeaders_areDerivedFromStatuses() {
    String own =
        "failure_mode_deny: false\n"
            + " ".repeat(22)
            + "enable_x_ratelimit_headers: DRAFT_VERSION_03\n"
            + " ".repeat(22)
            + "enable_retry_after_header: true";
    try (RunningRateLimitService service =
            new RunningRateLimitService(
                limiter(perUser("api", "2/hour")), false, EnvoyStoreFailureMode.FALLBACK);
        EnvoyProcess envoy =
            startEnvoy(configuration(service).replace("failure_mode_deny: false", own))) {
      HttpResponse<String> ok = envoy.get("/", "alice");
      assertThat(header(ok, "x-ratelimit-limit")).isEqualTo("2, 2;w=3600;name=\"api\"");
      assertThat(header(ok, "x-ratelimit-remaining")).isEqualTo("1");
      assertThat(envoy.get("/", "alice").statusCode()).isEqualTo(200);
      HttpResponse<String> refused = envoy.get("/", "alice");
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(Integer.parseInt(header(refused, "retry-after"))).isBetween(1, 1800);
      assertThat(header(refused, "x-ratelimit-reset")).isEqualTo(header(refused, "retry-after"));
    }
  }

  @Test
  void responseBytes_areChargedOnCompletion() {
    Rule bytes =
        Rule.named("bytes").match("descriptor", "user").per("user").limit("1500/365d").build();
    try (RunningRateLimitService service = new RunningRateLimitService(limiter(bytes));
        EnvoyProcess envoy = startEnvoy(withRateLimits(service, "charged when it is done"))) {
      assertThat(envoy.get("/", "alice").statusCode()).isEqualTo(200);
      Await.until(TIMEOUT, "1000 bytes are charged", () -> remaining(service) == 500);
      assertThat(envoy.get("/", "alice").statusCode()).as("some are left").isEqualTo(200);
      Await.until(TIMEOUT, "usage is charged past the limit", () -> remaining(service) == 0);
      assertThat(envoy.get("/", "alice").statusCode()).isEqualTo(429);
      assertThat(envoy.get("/", "bob").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void refundOnCompletion_limitsConcurrency() {
    Rule atOnce = perUser("at-once", "1/365d");
    try (RunningRateLimitService service = new RunningRateLimitService(limiter(atOnce));
        EnvoyProcess envoy = startEnvoy(withRateLimits(service, "given back when it is done"))) {
      for (int i = 0; i < 3; i++) {
        Await.until(TIMEOUT, "the permit is refunded", () -> remaining(service) == 1);
        assertThat(envoy.get("/", "alice").statusCode()).isEqualTo(200);
      }
      Await.until(TIMEOUT, "the permit is refunded", () -> remaining(service) == 1);
      CompletableFuture<Integer> held =
          CompletableFuture.supplyAsync(() -> envoy.get("/held", "alice").statusCode());
      Await.until(TIMEOUT, "the request is held", () -> remaining(service) == 0);
      for (int i = 0; i < 3; i++) {
        System.out.println(
            "second " + envoy.get("/", "alice").statusCode() + " left " + remaining(service));
      }
      releaseHeldRequest.complete(null);
      assertThat(held.join()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "OPEN, FALLBACK, false, 200",
    "OPEN, FALLBACK, true, 200",
    "CLOSED, FALLBACK, false, 429",
    "CLOSED, FALLBACK, true, 429",
    "OPEN, ERROR, false, 200",
    "OPEN, ERROR, true, 500",
    "CLOSED, ERROR, false, 429",
  })
  void storeUnavailable_fallbackOrEnvoyDecides(
      StoreFailureFallback.FallbackAction fallback,
      EnvoyStoreFailureMode storeFailureMode,
      boolean deny,
      int status) {
    Rule rule =
        perUser("api", "9/day")
            .edit()
            .onStoreFailure(new StoreFailureFallback(fallback, 0))
            .build();
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = RedisStore.at(redis.uri()).deadline(Duration.ofSeconds(2)).open();
        RunningRateLimitService service =
            new RunningRateLimitService(
                Weir.limiter(RuleSet.of(rule)).store(store).build(), true, storeFailureMode);
        EnvoyProcess envoy = startEnvoy(withFailureModeDeny(deny, configuration(service)))) {
      assertThat(envoy.get("/", "alice").statusCode()).isEqualTo(200);
      redis.kill();
      assertThat(envoy.get("/", "alice").statusCode()).isEqualTo(status);
    }
  }

  @ParameterizedTest
  @CsvSource({"false, 200", "true, 500"})
  void serviceUnavailable_envoyDecides(boolean deny, int status) {
    RunningRateLimitService service = new RunningRateLimitService(limiter(perUser("api", "9/day")));
    try (EnvoyProcess envoy = startEnvoy(withFailureModeDeny(deny, configuration(service)))) {
      assertThat(envoy.get("/", "alice").statusCode()).isEqualTo(200);
      service.close();
      assertThat(envoy.get("/", "alice").statusCode()).isEqualTo(status);
    } finally {
      service.close();
    }
  }

  private EnvoyProcess startEnvoy(String configuration) {
    return new EnvoyProcess(binary, configuration, folder);
  }

  /** Returns the documented configuration with the ports of this test and longer timeouts. */
  private String configuration(RunningRateLimitService service) {
    return documentedExample("envoy.yaml")
        .replace("0.0.0.0, port_value: 10000", "127.0.0.1, port_value: 0")
        .replace("port_value: 8081", "port_value: " + service.port())
        .replace("port_value: 3000", "port_value: " + upstream.actualPort())
        .replace("timeout: 0.02s", "timeout: 20s")
        .replace("connect_timeout: 0.25s", "connect_timeout: 5s")
        .replace("{ timeout: 1s, interval: 5s,", "{ timeout: 10s, interval: 300s,");
  }

  /** Returns the configuration with the limits of an example, at the filter instead of the host. */
  private String withRateLimits(RunningRateLimitService service, String title) {
    String text = configuration(service);
    String vhost = text.substring(text.indexOf("rate_limits:"), text.indexOf("routes:"));
    int at = text.indexOf("domain: edge");
    int column = at - text.lastIndexOf('\n', at) - 1;
    String limits = documentedExample(title).strip().indent(column).strip();
    return text.replace(vhost, "")
        .replace("domain: edge", "domain: edge\n" + " ".repeat(column) + limits);
  }

  private static String withFailureModeDeny(boolean deny, String configuration) {
    return configuration.replace("failure_mode_deny: false", "failure_mode_deny: " + deny);
  }

  /** Returns the documented example that begins with a title. */
  private static String documentedExample(String title) {
    try {
      String text = Files.readString(Path.of("../docs/guide/envoy.md"));
      Matcher found =
          Pattern.compile("```yaml\n(# " + title + ".*?)```", Pattern.DOTALL).matcher(text);
      assertThat(found.find()).as(title).isTrue();
      return found.group(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int remaining(RunningRateLimitService service) {
    return service
        .call(request(withHits(0, descriptor("user", "alice"))))
        .getStatuses(0)
        .getLimitRemaining();
  }

  private static String header(HttpResponse<?> answer, String name) {
    List<String> values = answer.headers().allValues(name);
    assertThat(values).as(name).hasSize(1);
    return values.get(0);
  }

  private static Limiter limiter(Rule... rules) {
    return Weir.inMemory(rules);
  }

  private static Rule perUser(String id, String limit) {
    return Rule.named(id).match("descriptor", "user").per("user").limit(limit).build();
  }
}
