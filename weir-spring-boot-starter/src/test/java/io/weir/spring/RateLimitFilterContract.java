package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.weir.testkit.Await;
import io.weir.testkit.FakeClock;
import io.weir.testkit.spring.WeirTest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;

/** The filters of servlet and WebFlux applications, with Spring Security. */
@WeirTest
abstract class RateLimitFilterContract {
  @Autowired FakeClock clock;
  @Autowired MeterRegistry meters;

  @Value("${local.server.port}")
  int port;

  SpringAppClient client;

  @BeforeEach
  void createClient() {
    client = new SpringAppClient(port);
  }

  @Test
  void annotatedMethod_isLimitedWithHeaders() {
    HttpResponse<String> first = client.get("/quote");
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).isEqualTo("quote");
    assertThat(first.headers().firstValue("X-RateLimit-Limit")).contains("2");
    assertThat(first.headers().firstValue("X-RateLimit-Remaining")).contains("1");
    assertThat(client.status("/quote")).isEqualTo(200);
    HttpResponse<String> refused = client.get("/quote");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("Retry-After")).contains("30");
    assertThat(refused.headers().firstValue("X-RateLimit-Remaining")).contains("0");
    assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(refused.body())
        .contains(
            "\"status\":429",
            "\"error\":\"rate_limited\"",
            "\"rule\":\"quotes-quote\"",
            "\"retry_after_seconds\":30");
    clock.advance(Duration.ofSeconds(30));
    assertThat(client.status("/quote")).isEqualTo(200);
  }

  @Test
  void principals_areCountedSeparately_anonymousByAddress() {
    for (int i = 0; i < 2; i++) {
      assertThat(client.getAs("ann", "a", "/quote").statusCode()).isEqualTo(200);
      assertThat(client.getAs("ben", "b", "/quote").statusCode()).isEqualTo(200);
      assertThat(client.status("/quote")).isEqualTo(200);
    }
    assertThat(client.getAs("ann", "a", "/quote").statusCode()).isEqualTo(429);
    assertThat(client.getAs("ben", "b", "/quote").statusCode()).isEqualTo(429);
    assertThat(client.status("/quote")).isEqualTo(429);
  }

  @Test
  void failedLogins_areCountedBeforeAuthentication() {
    assertThat(client.getAs("ann", "a", "/secret").statusCode()).isEqualTo(200);
    assertThat(client.getAs("ann", "guess", "/secret").statusCode()).isEqualTo(401);
    assertThat(client.getAs("ann", "other", "/secret").statusCode()).isEqualTo(401);
    assertThat(client.getAs("ann", "third", "/secret").statusCode()).isEqualTo(429);
  }

  @Test
  void refusalAfterAuthentication_refundsEarlierCharge() {
    HttpResponse<String> both = client.getAs("ann", "a", "/both");
    assertThat(both.statusCode()).isEqualTo(200);
    assertThat(both.headers().firstValue("RateLimit-Policy").orElse(""))
        .contains("\"everything\"", "\"both-early\"", "\"both-late\"");
    assertThat(both.headers().firstValue("X-RateLimit-Remaining")).contains("0");
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> refused = client.getAs("ann", "a", "/both");
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.body()).contains("\"rule\":\"both-late\"");
    }
    assertThat(client.getAs("ben", "b", "/both").statusCode()).isEqualTo(200);
    assertThat(client.get("/both").body()).contains("\"rule\":\"both-early\"");
  }

  @Test
  void exhaustedShadowRule_isNotRefundedWhenLaterFilterRefuses() {
    for (int expected : new int[] {200, 200, 429}) {
      assertThat(client.getAs("ann", "a", "/shadowed").statusCode()).isEqualTo(expected);
    }
    assertThat(client.getAs("ben", "b", "/shadowed").statusCode()).isEqualTo(200);
    assertThat(
            meters
                .get("weir.decisions")
                .tags("rule", "shadowed-early", "outcome", "shadow_refused")
                .counter()
                .count())
        .isEqualTo(3);
  }

  @Test
  void asynchronousRequest_holdsItsSlotUntilItEnds() throws Exception {
    var one = CompletableFuture.supplyAsync(() -> client.get("/in-flight/running"));
    var other = CompletableFuture.supplyAsync(() -> client.get("/in-flight/running"));
    CompletableFuture.anyOf(one, other).get(20, TimeUnit.SECONDS);
    var refused = (one.isDone() ? one : other).join();
    var running = one.isDone() ? other : one;
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(running).isNotDone();
    assertThat(refused.headers().firstValue("RateLimit-Policy").orElse(""))
        .contains("\"quotes-running\";q=1;qu=\"concurrent-requests\"");
    assertThat(refused.headers().firstValue("Retry-After")).contains("1");
    Await.until(
        Duration.ofSeconds(20),
        "the running request has reached its handler",
        () -> client.get("/in-flight/finish").body().equals("true"));
    assertThat(running.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
  }

  @Test
  void failedAndQuickRequests_leaveNoSlotBehind() {
    for (int i = 0; i < 5; i++) {
      assertThat(client.status("/in-flight/error")).isEqualTo(500);
      assertThat(client.status("/in-flight/quick")).isEqualTo(200);
    }
  }

  @Test
  void missingHeader_isCountedByAddress() {
    assertThat(client.status("/tenant", "X-Tenant", "acme")).isEqualTo(200);
    assertThat(client.status("/tenant", "X-Tenant", "acme")).isEqualTo(429);
    assertThat(client.status("/tenant", "X-Tenant", "other")).isEqualTo(200);
    assertThat(client.status("/tenant")).isEqualTo(200);
    assertThat(client.status("/tenant")).isEqualTo(429);
  }

  @Test
  void expression_countsPerValue() {
    assertThat(client.status("/tenants/a")).isEqualTo(200);
    assertThat(client.status("/tenants/a")).isEqualTo(429);
    assertThat(client.status("/tenants/b")).isEqualTo(200);
  }

  @Test
  void failingExpression_countsByAddress() {
    assertThat(client.getAs("ann", "a", "/failing").statusCode()).isEqualTo(200);
    assertThat(client.getAs("ben", "b", "/failing").statusCode()).isEqualTo(429);
  }

  @Test
  void classLimit_isSharedByItsMethods() {
    assertThat(client.status("/shared/a")).isEqualTo(200);
    assertThat(client.status("/shared/b")).isEqualTo(200);
    assertThat(client.status("/shared/a")).isEqualTo(429);
    assertThat(client.status("/shared/b")).isEqualTo(429);
  }

  @Test
  void repeatedLimits_allApply() {
    assertThat(client.status("/twice")).isEqualTo(200);
    assertThat(client.get("/twice").body()).contains("\"rule\":\"twice-a-second\"");
    for (int i = 0; i < 4; i++) {
      clock.advance(Duration.ofSeconds(1));
      assertThat(client.status("/twice")).isEqualTo(200);
    }
    clock.advance(Duration.ofSeconds(1));
    assertThat(client.get("/twice").body()).contains("\"rule\":\"quotes-twice\"");
  }

  @Test
  void placeholderInLimit_isResolvedFromProperties() {
    assertThat(client.status("/from-properties")).isEqualTo(200);
    assertThat(client.status("/from-properties")).isEqualTo(429);
  }

  @Test
  void configuredRules_limitMatchingRequests() {
    for (int i = 0; i < 2; i++) {
      assertThat(orderStatus("ann", "a")).isEqualTo(200);
    }
    assertThat(orderStatus("ann", "a")).isEqualTo(429);
    assertThat(client.getAs("ann", "a", "/orders/7").statusCode()).isEqualTo(200);
    for (int i = 0; i < 3; i++) {
      assertThat(orderStatus("ben", "b")).isEqualTo(200);
    }
    assertThat(orderStatus("ben", "b")).isEqualTo(429);
  }

  private int orderStatus(String user, String password) {
    return client.getAs(user, password, "/orders/7", "X-Plan", "free").statusCode();
  }

  @Test
  void customAttributesAndHandlers_canBeUsedInRules() {
    assertThat(client.getAs("ann", "a", "/letters").statusCode()).isEqualTo(200);
    assertThat(client.getAs("ann", "a", "/letters").statusCode()).isEqualTo(429);
    assertThat(client.getAs("ben", "b", "/letters").statusCode()).isEqualTo(200);
    assertThat(client.status("/named")).isEqualTo(200);
    assertThat(client.status("/named")).isEqualTo(429);
  }

  /** One attempt may follow before the charge of the last one, so that two are in flight. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/login/returned/401",
        "/login/returned/503",
        "/login/thrown/401",
        "/login/failed/500",
        "/login/async/401",
        "/login/async-thrown/401"
      })
  void chargeWhen_countsResponsesOfTheseStatuses(String path) {
    for (int i = 0; i < 4; i++) {
      assertThat(client.status("/login/async/200", "X-Test", path)).isEqualTo(200);
      assertThat(client.status("/login/thrown/404", "X-Test", path)).isEqualTo(404);
    }
    int status = Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
    int failed = 0;
    while (failed < 9 && client.status(path, "X-Test", path) == status) {
      failed++;
    }
    assertThat(failed).isBetween(2, 3);
    assertThat(client.get("/login/returned/200", "X-Test", path).body())
        .contains("\"rule\":\"logins\"");
    assertThat(client.status("/login/returned/200", "X-Test", "other")).isEqualTo(200);
  }

  @Test
  void chargeWhen_countsRefusalsOfSpringSecurity() {
    String path = "/login/returned/200";
    int failed = 0;
    while (failed < 9
        && client.getAs("ann", "wrong", path, "X-Test", "security").statusCode() == 401) {
      failed++;
    }
    assertThat(failed).isBetween(2, 3);
  }

  @Test
  void refundWhen_refundsResponsesOfTheseStatuses() {
    for (int i = 0; i < 5; i++) {
      Await.until(
          Duration.ofSeconds(5),
          "the refund of earlier requests",
          () -> client.status("/refunded/503", "X-Test", "a") == 503);
    }
    assertThat(client.status("/refunded/404", "X-Test", "b")).isEqualTo(404);
    assertThat(client.status("/refunded/200", "X-Test", "b")).isEqualTo(200);
    assertThat(client.status("/refunded/503", "X-Test", "b")).isEqualTo(429);
  }

  @Test
  void refusalCustomizer_changesTheBodyButNotTheHeaders() {
    assertThat(client.status("/login/returned/200", "X-Test", "custom")).isEqualTo(200);
    assertThat(client.status("/customized")).isEqualTo(404);
    HttpResponse<String> refused = client.get("/customized");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body()).isEqualTo("slow down, customized");
    assertThat(refused.headers().firstValue("Content-Type")).contains("text/plain");
    assertThat(refused.headers().firstValue("X-RateLimit-Remaining")).contains("0");
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();
  }

  @Test
  void unhandledPath_isLimited() {
    for (int i = 0; i < 40; i++) {
      assertThat(client.status("/nothing")).isEqualTo(404);
    }
    assertThat(client.get("/nothing").body()).contains("\"rule\":\"everything\"");
  }

  @Test
  void ambiguousPath_isRejected() {
    assertThat(client.status("/orders%5C7")).isEqualTo(400);
  }

  @Test
  void decisions_areMeasured() {
    double before = refusalCount();
    long timed = meters.get("weir.decision").timer().count();
    client.status("/named");
    client.status("/named");
    assertThat(refusalCount()).isEqualTo(before + 1);
    assertThat(meters.get("weir.decision").timer().count()).isGreaterThan(timed);
    assertThat(meters.get("weir.rules.revision").gauge().value()).isEqualTo(1);
    assertThat(meters.get("weir.store.available").gauge().value()).isEqualTo(1);
  }

  private double refusalCount() {
    var counter = meters.find("weir.decisions").tags("rule", "by-handler", "outcome", "refused");
    return counter.counter() == null ? 0 : counter.counter().count();
  }

  @Test
  void actuator_showsStoreAndRules() {
    String weir = client.get("/actuator/weir").body();
    assertThat(weir)
        .contains("\"mode\":\"enforce\"", "\"id\":\"quotes-quote\"", "\"limit\":[\"2/minute\"]")
        .contains("\"overrides\":[{\"when\":{\"user\":[\"ben\"]},\"limit\":[\"3/minute\"]}]");
    assertThat(client.get("/actuator/health").body()).contains("\"weir\":", "\"degraded\":false");
  }
}
