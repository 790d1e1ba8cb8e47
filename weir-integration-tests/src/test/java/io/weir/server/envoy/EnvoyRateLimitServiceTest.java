package io.weir.server.envoy;

import static io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code.OK;
import static io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code.OVER_LIMIT;
import static io.weir.server.envoy.EnvoyRequests.descriptor;
import static io.weir.server.envoy.EnvoyRequests.headers;
import static io.weir.server.envoy.EnvoyRequests.request;
import static io.weir.server.envoy.EnvoyRequests.withHits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls the Envoy rate limit service over a real connection, with a grpc-java client. */
class EnvoyRateLimitServiceTest {
  private static final long START_SECONDS = 1_767_225_600; // the start of FakeClock
  private static final RateLimitDescriptor ALICE = descriptor("user", "alice");
  private static final RateLimitDescriptor HOME_PATH = descriptor("path", "/");

  private final FakeClock clock = new FakeClock();

  @Test
  void admittedCall_returnsStatusHeadersAndMetadata() {
    try (RunningRateLimitService service = start(rule("api", "user", "10/minute"))) {
      RateLimitResponse response = service.call(request(withHits(3, ALICE)));
      assertThat(response.getOverallCode()).isEqualTo(OK);
      DescriptorStatus status = onlyStatus(response);
      assertThat(status.getCode()).isEqualTo(OK);
      assertThat(status.getCurrentLimit().getName()).isEqualTo("api");
      assertThat(status.getCurrentLimit().getRequestsPerUnit()).isEqualTo(10);
      assertThat(status.getCurrentLimit().getUnit()).isEqualTo(Unit.MINUTE);
      assertThat(status.getLimitRemaining()).isEqualTo(7);
      assertThat(status.getDurationUntilReset().getSeconds()).isEqualTo(18);
      assertThat(headers(response))
          .containsExactly(
              entry("X-RateLimit-Limit", "10"),
              entry("X-RateLimit-Remaining", "7"),
              entry("X-RateLimit-Reset", "" + (START_SECONDS + 18)),
              entry("RateLimit-Policy", "\"api\";q=10;w=60"),
              entry("RateLimit", "\"api\";r=7;t=18"));
      assertThat(response.getRawBody().isEmpty()).isTrue();
      assertThat(response.getDynamicMetadata().getFieldsMap()).containsOnlyKeys("rule");
      assertThat(response.getDynamicMetadata().getFieldsOrThrow("rule").getStringValue())
          .isEqualTo("api");
    }
  }

  @Test
  void refusedCall_returnsRetryAfter() {
    try (RunningRateLimitService service = start(rule("api", "user", "100/minute"))) {
      service.call(request(withHits(90, ALICE)));
      RateLimitResponse response = service.call(request(withHits(71, ALICE)));
      assertThat(response.getOverallCode()).isEqualTo(OVER_LIMIT);
      assertThat(onlyStatus(response).getCode()).isEqualTo(OVER_LIMIT);
      assertThat(onlyStatus(response).getLimitRemaining()).isEqualTo(10);
      assertThat(onlyStatus(response).getDurationUntilReset().getSeconds())
          .as("36.6 s, rounded up")
          .isEqualTo(37);
      assertThat(headers(response))
          .containsEntry("Retry-After", "37")
          .containsEntry("content-type", "application/json");
      assertThat(response.getRawBody().toStringUtf8())
          .isEqualTo("{\"error\":\"rate_limited\",\"rule\":\"api\",\"retry_after_seconds\":37}");
      clock.advance(Duration.ofSeconds(37));
      assertThat(service.call(request(withHits(71, ALICE))).getOverallCode()).isEqualTo(OK);
    }
  }

  @Test
  void hitsAboveLimit_haveNoRetryAfter() {
    try (RunningRateLimitService service = start(rule("api", "user", "10/minute"))) {
      RateLimitResponse response = service.call(request(withHits(11, ALICE)));
      assertThat(response.getOverallCode()).isEqualTo(OVER_LIMIT);
      assertThat(onlyStatus(response).getDurationUntilReset().getSeconds()).isZero();
      assertThat(headers(response)).doesNotContainKey("Retry-After");
      assertThat(response.getRawBody().toStringUtf8()).contains("cost_exceeds_limit");
    }
  }

  @Test
  void noMatchingRule_isOkWithoutLimit() {
    try (RunningRateLimitService service = start(rule("api", "user", "10/minute"))) {
      RateLimitResponse response = service.call(request(HOME_PATH));
      assertThat(response.getOverallCode()).isEqualTo(OK);
      assertThat(onlyStatus(response).getCode()).isEqualTo(OK);
      assertThat(onlyStatus(response).hasCurrentLimit()).isFalse();
      assertThat(onlyStatus(response).hasDurationUntilReset()).isFalse();
      assertThat(headers(response)).isEmpty();
    }
  }

  @Test
  void severalDescriptors_areChargedAllOrNone() {
    try (RunningRateLimitService service =
        start(rule("user", "user", "5/minute"), rule("path", "path", "2/minute"))) {
      RateLimitRequest three = request(ALICE, descriptor("nobody", "knows"), HOME_PATH);
      service.call(three);
      service.call(three);
      for (int i = 0; i < 10; i++) {
        RateLimitResponse response = service.call(three);
        assertThat(response.getOverallCode()).isEqualTo(OVER_LIMIT);
        assertThat(response.getStatusesList())
            .extracting(s -> s.getCode() + " " + s.getCurrentLimit().getName())
            .containsExactly("OK user", "OK ", "OVER_LIMIT path");
        assertThat(response.getStatuses(0).getLimitRemaining())
            .as("refused calls charge nothing")
            .isEqualTo(3);
        assertThat(headers(response)).containsEntry("RateLimit", "\"path\";r=0;t=30");
        assertThat(response.getDynamicMetadata().getFieldsOrThrow("rule").getStringValue())
            .isEqualTo("path");
      }
    }
  }

  @Test
  void domainAndDescriptorKeys_areAttributes() {
    Rule edge = rule("edge", "user", "1/minute").edit().match("domain", "edge").build();
    Rule both = rule("both", "user", "2/minute").edit().match("descriptor", "user/path").build();
    try (RunningRateLimitService service = start(edge, both)) {
      assertThat(onlyStatus(service.call(request(ALICE))).getCurrentLimit().getName())
          .isEqualTo("edge");
      RateLimitRequest other = request(descriptor("user", "alice", "path", "/a"));
      other = other.toBuilder().setDomain("other").build();
      assertThat(onlyStatus(service.call(other)).getCurrentLimit().getName()).isEqualTo("both");
      RateLimitRequest turned =
          request(descriptor("path", "/a", "user", "alice")).toBuilder().setDomain("other").build();
      assertThat(onlyStatus(service.call(turned)).hasCurrentLimit()).isFalse();
    }
  }

  @Test
  void repeatedKey_getsNumberedAttribute() {
    Rule pair = Rule.named("pair").per("generic_key", "generic_key.2").limit("1/minute").build();
    Rule named = Rule.named("named").per("domain.2").limit("5/minute").build();
    try (RunningRateLimitService service = start(pair, named)) {
      RateLimitRequest ab = request(descriptor("generic_key", "a", "generic_key", "b"));
      RateLimitRequest ba = request(descriptor("generic_key", "b", "generic_key", "a"));
      assertThat(service.call(ab).getOverallCode()).isEqualTo(OK);
      assertThat(service.call(ab).getOverallCode()).isEqualTo(OVER_LIMIT);
      assertThat(service.call(ba).getOverallCode()).isEqualTo(OK);
      RateLimitRequest domain = request(descriptor("domain", "example.org"));
      assertThat(onlyStatus(service.call(domain)).getCurrentLimit().getName()).isEqualTo("named");
    }
  }

  @Test
  void shadowRefusal_isOnlyInMetadata() {
    Rule shadow = rule("shadow", "user", "1/minute").edit().shadow(true).build();
    try (RunningRateLimitService service = start(shadow, rule("real", "user", "5/minute"))) {
      service.call(request(ALICE));
      RateLimitResponse response = service.call(request(ALICE));
      assertThat(response.getOverallCode()).isEqualTo(OK);
      assertThat(onlyStatus(response).getCurrentLimit().getName()).isEqualTo("real");
      assertThat(response.getDynamicMetadata().getFieldsOrThrow("shadow_refused").getBoolValue())
          .isTrue();
    }
  }

  @Test
  void delay_isInMetadata() {
    Rule queue =
        Rule.named("queue")
            .per("user")
            .algorithm("leaky-bucket")
            .limit("1/second")
            .burst(5)
            .build();
    try (RunningRateLimitService service = start(queue)) {
      service.call(request(ALICE));
      RateLimitResponse response = service.call(request(ALICE));
      assertThat(response.getOverallCode()).isEqualTo(OK);
      assertThat(response.getDynamicMetadata().getFieldsOrThrow("delay_ms").getNumberValue())
          .isEqualTo(1000);
    }
  }

  @Test
  void headersDisabled_areOmitted() {
    try (RunningRateLimitService service =
        new RunningRateLimitService(
            limiter(rule("api", "user", "1/minute")), false, EnvoyStoreFailureMode.FALLBACK)) {
      assertThat(headers(service.call(request(ALICE)))).isEmpty();
      assertThat(headers(service.call(request(ALICE)))).containsOnlyKeys("content-type");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "5/second, 5, SECOND",
    "5/hour, 5, HOUR",
    "5/day, 5, DAY",
    "5/7d, 5, WEEK",
    "5/30d, 5, MONTH",
    "5/365d, 5, YEAR",
    "5/30s, 5, UNKNOWN",
    "5/1500ms, 5, UNKNOWN",
    "5/36h, 5, UNKNOWN",
    "0/hour, 0, HOUR",
    "5000000000/hour, 4294967295, HOUR",
  })
  void limit_isReportedInEnvoyUnit(String limit, String permits, Unit unit) {
    Rule rule = rule("api", "user", limit).edit().algorithm("fixed-window").build();
    try (RunningRateLimitService service = start(rule)) {
      DescriptorStatus status = onlyStatus(service.call(request(ALICE)));
      assertThat(Integer.toUnsignedString(status.getCurrentLimit().getRequestsPerUnit()))
          .isEqualTo(permits);
      assertThat(status.getCurrentLimit().getUnit()).isEqualTo(unit);
      long left = Math.max(0, Long.parseLong(permits) - 1);
      assertThat(Integer.toUnsignedLong(status.getLimitRemaining())).isIn(left, 0xFFFF_FFFFL);
    }
  }

  private RunningRateLimitService start(Rule... rules) {
    return new RunningRateLimitService(limiter(rules));
  }

  private Limiter limiter(Rule... rules) {
    return Weir.limiter(RuleSet.of(rules)).clock(clock).build();
  }

  private static Rule rule(String id, String per, String limit) {
    return Rule.named(id).per(per).limit(limit).build();
  }

  private static DescriptorStatus onlyStatus(RateLimitResponse response) {
    List<DescriptorStatus> statuses = response.getStatusesList();
    assertThat(statuses).hasSize(1);
    return statuses.get(0);
  }
}
