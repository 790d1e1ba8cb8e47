package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.weir.testkit.FakeClock;
import io.weir.testkit.spring.WeirTest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;

/** What holds at the door of every Spring application, with Spring Security behind it. */
@WeirTest
abstract class DoorContract {
  @Autowired FakeClock clock;
  @Autowired MeterRegistry meters;

  @Value("${local.server.port}")
  int port;

  Caller caller;

  @BeforeEach
  void call() {
    caller = new Caller(port);
  }

  @Test
  void anAnnotatedMethodIsLimitedAndItsCallerIsTold() {
    HttpResponse<String> first = caller.get("/quote");
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).isEqualTo("quote");
    assertThat(first.headers().firstValue("X-RateLimit-Limit")).contains("2");
    assertThat(first.headers().firstValue("X-RateLimit-Remaining")).contains("1");
    assertThat(caller.status("/quote")).isEqualTo(200);
    HttpResponse<String> refused = caller.get("/quote");
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
    assertThat(caller.status("/quote")).isEqualTo(200);
  }

  @Test
  void principalsAreCountedApartAndNobodyByAddress() {
    for (int i = 0; i < 2; i++) {
      assertThat(caller.getAs("ann", "a", "/quote").statusCode()).isEqualTo(200);
      assertThat(caller.getAs("ben", "b", "/quote").statusCode()).isEqualTo(200);
      assertThat(caller.status("/quote")).isEqualTo(200);
    }
    assertThat(caller.getAs("ann", "a", "/quote").statusCode()).isEqualTo(429);
    assertThat(caller.getAs("ben", "b", "/quote").statusCode()).isEqualTo(429);
    assertThat(caller.status("/quote")).isEqualTo(429);
  }

  @Test
  void whoGuessesPasswordsIsCountedBeforeAuthentication() {
    assertThat(caller.getAs("ann", "a", "/secret").statusCode()).isEqualTo(200);
    assertThat(caller.getAs("ann", "guess", "/secret").statusCode()).isEqualTo(401);
    assertThat(caller.getAs("ann", "other", "/secret").statusCode()).isEqualTo(401);
    assertThat(caller.getAs("ann", "third", "/secret").statusCode()).isEqualTo(429);
  }

  @Test
  void whatIsRefusedAfterAuthenticationGivesBackWhatWasTakenBefore() {
    HttpResponse<String> both = caller.getAs("ann", "a", "/both");
    assertThat(both.statusCode()).isEqualTo(200);
    assertThat(both.headers().firstValue("RateLimit-Policy").orElse(""))
        .contains("\"everything\"", "\"both-early\"", "\"both-late\"");
    assertThat(both.headers().firstValue("X-RateLimit-Remaining")).contains("0");
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> refused = caller.getAs("ann", "a", "/both");
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.body()).contains("\"rule\":\"both-late\"");
    }
    assertThat(caller.getAs("ben", "b", "/both").statusCode()).isEqualTo(200);
    assertThat(caller.get("/both").body()).contains("\"rule\":\"both-early\"");
  }

  @Test
  void aShadowRuleThatWasFull_getsNothingBackWhenALaterFilterRefuses() {
    for (int expected : new int[] {200, 200, 429}) {
      assertThat(caller.getAs("ann", "a", "/shadowed").statusCode()).isEqualTo(expected);
    }
    assertThat(caller.getAs("ben", "b", "/shadowed").statusCode()).isEqualTo(200);
    assertThat(
            meters
                .get("weir.decisions")
                .tags("rule", "shadowed-early", "outcome", "shadow_refused")
                .counter()
                .count())
        .isEqualTo(3);
  }

  @Test
  void leavingAHeaderOutIsNoWayAround() {
    assertThat(caller.status("/tenant", "X-Tenant", "acme")).isEqualTo(200);
    assertThat(caller.status("/tenant", "X-Tenant", "acme")).isEqualTo(429);
    assertThat(caller.status("/tenant", "X-Tenant", "other")).isEqualTo(200);
    assertThat(caller.status("/tenant")).isEqualTo(200);
    assertThat(caller.status("/tenant")).isEqualTo(429);
  }

  @Test
  void expressionsCount() {
    assertThat(caller.status("/tenants/a")).isEqualTo(200);
    assertThat(caller.status("/tenants/a")).isEqualTo(429);
    assertThat(caller.status("/tenants/b")).isEqualTo(200);
  }

  @Test
  void anExpressionThatFailsCountsByAddress() {
    assertThat(caller.getAs("ann", "a", "/failing").statusCode()).isEqualTo(200);
    assertThat(caller.getAs("ben", "b", "/failing").statusCode()).isEqualTo(429);
  }

  @Test
  void theMethodsOfAClassShareItsLimit() {
    assertThat(caller.status("/shared/a")).isEqualTo(200);
    assertThat(caller.status("/shared/b")).isEqualTo(200);
    assertThat(caller.status("/shared/a")).isEqualTo(429);
    assertThat(caller.status("/shared/b")).isEqualTo(429);
  }

  @Test
  void repeatedLimitsAllHold() {
    assertThat(caller.status("/twice")).isEqualTo(200);
    assertThat(caller.get("/twice").body()).contains("\"rule\":\"twice-a-second\"");
    for (int i = 0; i < 4; i++) {
      clock.advance(Duration.ofSeconds(1));
      assertThat(caller.status("/twice")).isEqualTo(200);
    }
    clock.advance(Duration.ofSeconds(1));
    assertThat(caller.get("/twice").body()).contains("\"rule\":\"quotes-twice\"");
  }

  @Test
  void aLimitMayComeFromProperties() {
    assertThat(caller.status("/from-properties")).isEqualTo(200);
    assertThat(caller.status("/from-properties")).isEqualTo(429);
  }

  @Test
  void writtenRulesMeetWhatTheySay() {
    for (int i = 0; i < 2; i++) {
      assertThat(orders("ann", "a")).isEqualTo(200);
    }
    assertThat(orders("ann", "a")).isEqualTo(429);
    assertThat(caller.getAs("ann", "a", "/orders/7").statusCode()).isEqualTo(200);
    for (int i = 0; i < 3; i++) {
      assertThat(orders("ben", "b")).isEqualTo(200);
    }
    assertThat(orders("ben", "b")).isEqualTo(429);
  }

  private int orders(String user, String password) {
    return caller.getAs(user, password, "/orders/7", "X-Plan", "free").statusCode();
  }

  @Test
  void attributesOfTheApplicationAndHandlersCanBeNamedInRules() {
    assertThat(caller.getAs("ann", "a", "/letters").statusCode()).isEqualTo(200);
    assertThat(caller.getAs("ann", "a", "/letters").statusCode()).isEqualTo(429);
    assertThat(caller.getAs("ben", "b", "/letters").statusCode()).isEqualTo(200);
    assertThat(caller.status("/named")).isEqualTo(200);
    assertThat(caller.status("/named")).isEqualTo(429);
  }

  @Test
  void whatNothingHandlesIsLimitedToo() {
    for (int i = 0; i < 40; i++) {
      assertThat(caller.status("/nothing")).isEqualTo(404);
    }
    assertThat(caller.get("/nothing").body()).contains("\"rule\":\"everything\"");
  }

  @Test
  void whatCanBeReadInTwoWaysIsRefused() {
    assertThat(caller.status("/orders%5C7")).isEqualTo(400);
  }

  @Test
  void decisionsAreMeasured() {
    double before = refusals();
    long timed = meters.get("weir.decision").timer().count();
    caller.status("/named");
    caller.status("/named");
    assertThat(refusals()).isEqualTo(before + 1);
    assertThat(meters.get("weir.decision").timer().count()).isGreaterThan(timed);
    assertThat(meters.get("weir.rules.revision").gauge().value()).isEqualTo(1);
    assertThat(meters.get("weir.store.available").gauge().value()).isEqualTo(1);
  }

  private double refusals() {
    var counter = meters.find("weir.decisions").tags("rule", "by-handler", "outcome", "refused");
    return counter.counter() == null ? 0 : counter.counter().count();
  }

  @Test
  void theActuatorShowsStoreAndRules() {
    String weir = caller.get("/actuator/weir").body();
    assertThat(weir)
        .contains("\"mode\":\"enforce\"", "\"id\":\"quotes-quote\"", "\"limit\":[\"2/minute\"]");
    assertThat(caller.get("/actuator/health").body()).contains("\"weir\":", "\"degraded\":false");
  }
}
