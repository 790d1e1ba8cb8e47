package io.weir.http;

import static io.weir.http.DecisionFixture.headers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.RefusalReason;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.PendingDecision;
import io.weir.internal.store.RemoteStore;
import io.weir.internal.store.StoreFailureGuard;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreListener;
import io.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the rate limit headers of responses. */
class RateLimitHeadersTest {
  private static final long START_SECONDS = 1_767_225_600; // start of FakeClock

  @Test
  void admittedRequest_reportsRemaining() {
    Decision d = new DecisionFixture(rule("orders-per-user", "100/minute")).take(77);
    assertThat(headers(d))
        .containsExactly(
            entry("X-RateLimit-Limit", "100"),
            entry("X-RateLimit-Remaining", "23"),
            entry("X-RateLimit-Reset", "" + (START_SECONDS + 47)),
            entry("RateLimit-Policy", "\"orders-per-user\";q=100;w=60"),
            entry("RateLimit", "\"orders-per-user\";r=23;t=47"));
  }

  @Test
  void refusedRequest_reportsRetryAfter() {
    DecisionFixture api = new DecisionFixture(rule("api", "100/minute"));
    api.take(90);
    assertThat(headers(api.take(71)))
        .containsEntry("Retry-After", "37") // 61 permits at 5/3 a second: 36.6 s
        .containsEntry("X-RateLimit-Remaining", "10")
        .containsEntry("X-RateLimit-Reset", "" + (START_SECONDS + 54))
        .containsEntry("RateLimit", "\"api\";r=10;t=37");
  }

  @Test
  void severalDecisions_reportTightestLimitAndAllPolicies() {
    Decision wide = new DecisionFixture(rule("wide", "100/minute")).take(1);
    Decision narrow = new DecisionFixture(rule("narrow", "10/minute")).take(1);
    Decision none = Weir.inMemory().decideNow(Request.of());
    Map<String, String> fields = new HashMap<>();
    RateLimitHeaders.write(List.of(none, narrow, wide), fields::put);
    assertThat(fields)
        .containsEntry("X-RateLimit-Limit", "10")
        .containsEntry("RateLimit-Policy", "\"narrow\";q=10;w=60, \"wide\";q=100;w=60")
        .containsEntry("RateLimit", "\"narrow\";r=9;t=6, \"wide\";r=99;t=1");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 10",
    "1, 10",
    "999999, 10",
    "1000000, 9",
    "8999999, 2",
    "9000000, 1",
    "9999999, 1"
  })
  void retryAfter_isRoundedUpAndNeverTooEarly(long micros, String expected) {
    DecisionFixture login =
        new DecisionFixture(
            Rule.named("login").algorithm("sliding-log").per("user").limit("1/10s").build());
    login.take(1);
    login.clock.advance(Duration.ofNanos(1000 * micros));
    assertThat(headers(login.take(1))).containsEntry("Retry-After", expected);
    login.clock.advance(Duration.ofSeconds(Long.parseLong(expected)));
    assertThat(login.take(1).allowed()).isTrue();
  }

  @Test
  void shortWait_isReportedAsOneSecond() {
    DecisionFixture fast = new DecisionFixture(rule("fast", "1000/second"));
    fast.take(1000);
    assertThat(headers(fast.take(1))).containsEntry("Retry-After", "1");
  }

  @Test
  void costAboveCapacity_hasNoRetryAfter() {
    Decision never = new DecisionFixture(rule("api", "100/minute")).take(101);
    assertThat(headers(never))
        .doesNotContainKey("Retry-After")
        .containsEntry("RateLimit", "\"api\";r=100;t=0");
  }

  @Test
  void severalRules_xHeadersReportTightest() {
    Decision d = new DecisionFixture(rule("wide", "1000/hour"), rule("narrow", "5/minute")).take(1);
    assertThat(headers(d))
        .containsEntry("X-RateLimit-Limit", "5")
        .containsEntry("X-RateLimit-Remaining", "4")
        .containsEntry("RateLimit-Policy", "\"wide\";q=1000;w=3600, \"narrow\";q=5;w=60")
        .containsEntry("RateLimit", "\"wide\";r=999;t=4, \"narrow\";r=4;t=12");
  }

  @Test
  void ruleWithSeveralLimits_reportsOnePolicyPerLimit() {
    Rule both = rule("both", "10/second", "1000/hour", "5000/36h");
    assertThat(headers(new DecisionFixture(both, rule("one", "1/day")).take(1)))
        .containsEntry(
            "RateLimit-Policy",
            "\"both/second\";q=10;w=1, \"both/hour\";q=1000;w=3600, \"both/1d12h\";q=5000;w=129600, \"one\";q=1;w=86400")
        .containsEntry(
            "RateLimit",
            "\"both/second\";r=9;t=1, \"both/hour\";r=999;t=4, \"both/1d12h\";r=4999;t=26, \"one\";r=0;t=86400");
  }

  @Test
  void burst_isReportedBesideRate() {
    Rule bursty = Rule.named("bursty").per("user").limit("10/minute").burst(50).build();
    assertThat(headers(new DecisionFixture(bursty).take(1)))
        .containsEntry("X-RateLimit-Limit", "50")
        .containsEntry("RateLimit-Policy", "\"bursty\";q=10;w=60;weir-burst=50");
  }

  @Test
  void windowOfFractionalSeconds_isOmitted() {
    assertThat(headers(new DecisionFixture(rule("quick", "10/100ms")).take(1)))
        .containsEntry("RateLimit-Policy", "\"quick\";q=10");
    assertThat(headers(new DecisionFixture(rule("odd", "10/1500ms")).take(1)))
        .containsEntry("RateLimit-Policy", "\"odd\";q=10");
  }

  @Test
  void shadowRules_areNotReported() {
    Rule shadow = rule("shadow", "1/day").edit().shadow(true).build();
    DecisionFixture both = new DecisionFixture(shadow, rule("real", "5/minute"));
    both.take(1);
    Decision d = both.take(1);
    assertThat(d.shadowRefused()).isTrue();
    assertThat(headers(d).toString()).contains("real").doesNotContain("shadow");
    assertThat(headers(new DecisionFixture(shadow).take(1))).isEmpty();
  }

  @Test
  void noMatchingRule_writesNoHeaders() {
    assertThat(
            headers(new DecisionFixture(rule("other", "1/day").edit().per("ip").build()).take(1)))
        .isEmpty();
  }

  @Test
  void failedStore_reportsPolicyOnly() {
    assertThat(headers(degraded(StoreFailureFallback.OPEN)))
        .containsOnly(
            entry("X-RateLimit-Limit", "100"), entry("RateLimit-Policy", "\"api\";q=100;w=60"));
    assertThat(headers(degraded(StoreFailureFallback.CLOSED)))
        .containsOnly(
            entry("X-RateLimit-Limit", "100"),
            entry("RateLimit-Policy", "\"api\";q=100;w=60"),
            entry("Retry-After", "1"));
    assertThat(headers(degraded(StoreFailureFallback.local(10))))
        .containsEntry("X-RateLimit-Remaining", "9")
        .containsEntry("RateLimit", "\"api\";r=9;t=6");
    assertThat(headers(degraded(StoreFailureFallback.local(1))))
        .containsEntry("X-RateLimit-Remaining", "0")
        .containsEntry("RateLimit", "\"api\";r=0;t=60");
  }

  @Test
  void failClosed_isUnavailableAndNeverClaimsUsedPermits() {
    Decision closed = degraded(StoreFailureFallback.CLOSED);
    assertThat(closed.refusalReason()).contains(RefusalReason.STORE_UNAVAILABLE);
    assertThat(RefusalResponse.of(closed, null))
        .isEqualTo(
            new RefusalResponse(
                503,
                "application/json",
                "{\"error\":\"store_unavailable\",\"rule\":\"api\",\"retry_after_seconds\":1}"));
    assertThat(RefusalResponse.of(closed, "application/problem+json"))
        .isEqualTo(
            new RefusalResponse(
                503,
                "application/problem+json",
                """
                {"type":"urn:weir:problem:store-unavailable",\
                "title":"Rate limits cannot be checked at the moment","status":503,\
                "detail":"api refuses requests while it cannot count them; retry after 1 second.",\
                "error":"store_unavailable","rule":"api","retry_after_seconds":1}"""));
    assertThat(degraded(StoreFailureFallback.local(1), 2).refusalReason())
        .as("a local share that is used up is a limit")
        .contains(RefusalReason.RATE_LIMITED);
  }

  @Test
  void degradedDecision_hasNullRemaining() {
    for (StoreFailureFallback fallback :
        List.of(
            StoreFailureFallback.OPEN,
            StoreFailureFallback.CLOSED,
            StoreFailureFallback.local(10))) {
      Decision decision = degraded(fallback);
      assertThat(DecisionJson.format(decision)).contains("\"degraded\":true", "\"remaining\":null");
      assertThat(decision.toString()).contains("unknown of 100 left");
    }
  }

  private static Decision degraded(StoreFailureFallback fallback) {
    return degraded(fallback, 1);
  }

  /** Returns the last of several decisions by a fallback. */
  private static Decision degraded(StoreFailureFallback fallback, int decisions) {
    FakeClock clock = new FakeClock();
    Rule rule = rule("api", "100/minute").edit().onStoreFailure(fallback).build();
    try (StoreFailureGuard guard =
        new StoreFailureGuard(
            clock, Duration.ofSeconds(1), 1, StoreListener.NONE, (micros, task) -> {})) {
      Limiter limiter =
          Weir.limiter(RuleSet.of(rule)).store(guard.wrap(new FailingRemoteStore())).build();
      for (int i = 1; i < decisions; i++) {
        var unused = limiter.decideNow(Request.of("user", "42"));
      }
      return limiter.decideNow(Request.of("user", "42"));
    }
  }

  /** A store that fails every operation. */
  private static final class FailingRemoteStore implements RemoteStore {
    private final Fingerprint fingerprint = Fingerprint.random();

    @Override
    public void submit(PendingDecision ask) {
      throw new IllegalStateException("broken");
    }

    @Override
    public Fingerprint fingerprint() {
      return fingerprint;
    }
  }

  private static Rule rule(String id, String... limits) {
    return Rule.named(id).per("user").limit(limits).build();
  }
}
