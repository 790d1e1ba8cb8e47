package io.weir.server.envoy;

import static io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code.OK;
import static io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code.OVER_LIMIT;
import static io.weir.server.envoy.EnvoyRequests.descriptor;
import static io.weir.server.envoy.EnvoyRequests.request;
import static io.weir.server.envoy.EnvoyRequests.withHits;
import static io.weir.server.envoy.EnvoyRequests.withLimit;
import static io.weir.server.envoy.EnvoyRequests.withNegativeHits;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.FakeClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hits, peeks, refunds, charges and limits of descriptors. */
class DescriptorModesTest {
  private static final RateLimitDescriptor ALICE = descriptor("user", "alice");
  private static final RateLimitDescriptor BOB = descriptor("user", "bob");
  private static final RateLimitDescriptor ALICE_CHARGE =
      descriptor("user", "alice", "weir.mode", "charge");

  private final RunningRateLimitService service =
      new RunningRateLimitService(
          Weir.limiter(
                  RuleSet.of(
                      Rule.named("api").per("user").limit("10/minute").build(),
                      Rule.named("ip").per("ip").limit("1/minute").build()))
              .clock(new FakeClock())
              .build());

  @AfterEach
  void close() {
    service.close();
  }

  @Test
  void descriptorHits_overrideRequestHits() {
    RateLimitRequest call = request(ALICE, withHits(2, BOB)).toBuilder().setHitsAddend(4).build();
    assertThat(service.call(call).getStatusesList())
        .extracting(DescriptorStatus::getLimitRemaining)
        .containsExactly(6, 8);
    RateLimitRequest none = request(ALICE).toBuilder().setHitsAddend(0).build();
    assertThat(remaining(service.call(none))).as("0 of a call is 1").isEqualTo(5);
  }

  @Test
  void zeroDescriptorHits_isPeek() {
    service.call(request(withHits(9, ALICE)));
    for (int i = 0; i < 5; i++) {
      RateLimitResponse peeked = service.call(request(withHits(0, ALICE)));
      assertThat(peeked.getOverallCode()).isEqualTo(OK);
      assertThat(remaining(peeked)).isEqualTo(1);
    }
    service.call(request(ALICE));
    assertThat(overallCode(withHits(0, ALICE))).as("no permit is left").isEqualTo(OVER_LIMIT);
  }

  @Test
  void peekMode_checksAllHitsWithoutCharging() {
    service.call(request(withHits(7, ALICE)));
    RateLimitDescriptor peek = descriptor("user", "alice", "weir.mode", "peek");
    assertThat(overallCode(withHits(3, peek))).isEqualTo(OK);
    assertThat(overallCode(withHits(4, peek))).isEqualTo(OVER_LIMIT);
    assertThat(overallCode(withHits(3, peek))).as("nothing was charged").isEqualTo(OK);
  }

  @Test
  void negativeHits_refundAtMostWhatWasUsed() {
    service.call(request(withHits(10, ALICE)));
    RateLimitResponse refund = service.call(request(withNegativeHits(withHits(4, ALICE))));
    assertThat(refund.getOverallCode()).isEqualTo(OK);
    assertThat(remaining(refund)).isEqualTo(4);
    assertThat(remaining(service.call(request(withNegativeHits(withHits(100, ALICE))))))
        .isEqualTo(10);
    assertThat(overallCode(withNegativeHits(withHits(100, BOB)))).as("never used").isEqualTo(OK);
    assertThat(overallCode(withNegativeHits(withHits(0, ALICE)))).isEqualTo(OK);
  }

  @Test
  void negativeHitsOverLimit_areOk() {
    service.call(request(withHits(10, ALICE)));
    service.call(request(withHits(5, ALICE_CHARGE)));
    RateLimitResponse refund = service.call(request(withNegativeHits(withHits(1, ALICE))));
    assertThat(refund.getOverallCode()).isEqualTo(OK);
    assertThat(refund.getStatuses(0).getCode()).isEqualTo(OK);
    assertThat(refund.getRawBody().isEmpty()).isTrue();
  }

  @Test
  void chargeMode_exceedsLimit() {
    service.call(request(withHits(8, ALICE)));
    RateLimitResponse charged = service.call(request(withHits(7, ALICE_CHARGE)));
    assertThat(charged.getOverallCode()).isEqualTo(OK);
    assertThat(charged.getStatuses(0).getCode()).isEqualTo(OK);
    assertThat(remaining(charged)).isZero();
    service.call(request(withNegativeHits(withHits(5, ALICE))));
    assertThat(overallCode(ALICE)).as("still at the limit").isEqualTo(OVER_LIMIT);
    assertThat(overallCode(withHits(0, ALICE_CHARGE))).as("nothing to charge").isEqualTo(OK);
    service.call(request(withNegativeHits(withHits(1, ALICE))));
    assertThat(overallCode(ALICE)).isEqualTo(OK);
  }

  @Test
  void modeEntry_isNotAttribute() {
    service.call(request(withHits(3, ALICE_CHARGE)));
    assertThat(remaining(service.call(request(withHits(0, ALICE))))).isEqualTo(7);
  }

  @Test
  void refusedPeek_preventsChargingOtherDescriptors() {
    RateLimitDescriptor ip = descriptor("ip", "10.0.0.1");
    service.call(request(ip));
    RateLimitResponse response = service.call(request(ALICE, withHits(0, ip)));
    assertThat(response.getOverallCode()).isEqualTo(OVER_LIMIT);
    assertThat(response.getStatusesList())
        .extracting(DescriptorStatus::getCode)
        .containsExactly(OK, OVER_LIMIT);
    assertThat(remaining(service.call(request(withHits(0, ALICE))))).isEqualTo(10);
    assertThat(
            service
                .call(request(ALICE, withHits(0, descriptor("ip", "10.0.0.2"))))
                .getOverallCode())
        .isEqualTo(OK);
    assertThat(remaining(service.call(request(withHits(0, ALICE))))).isEqualTo(9);
  }

  @Test
  void allModesInOneRequest_areDecided() {
    service.call(request(withHits(10, ALICE), withHits(10, BOB)));
    RateLimitDescriptor carol = descriptor("user", "carol");
    RateLimitDescriptor later = descriptor("user", "bob", "weir.mode", "charge");
    RateLimitResponse response =
        service.call(
            request(
                withHits(2, later),
                withHits(3, ALICE),
                withNegativeHits(withHits(5, ALICE)),
                withHits(0, carol)));
    assertThat(response.getOverallCode()).isEqualTo(OK);
    assertThat(response.getStatusesList())
        .extracting(DescriptorStatus::getLimitRemaining)
        .as("refunded first, then taken; charged past the limit")
        .containsExactly(0, 2, 5, 10);
  }

  @Test
  void refusedTake_doesNotUndoCharge() {
    service.call(request(withHits(10, ALICE)));
    RateLimitDescriptor bobDone = descriptor("user", "bob", "weir.mode", "charge");
    assertThat(service.call(request(ALICE, withHits(4, bobDone))).getOverallCode())
        .isEqualTo(OVER_LIMIT);
    assertThat(remaining(service.call(request(withHits(0, BOB))))).isEqualTo(6);
  }

  @Test
  void descriptorLimit_overridesRuleLimit() {
    service.call(request(withHits(10, ALICE)));
    assertThat(overallCode(ALICE)).isEqualTo(OVER_LIMIT);
    RateLimitResponse raised = service.call(request(withLimit(12, RateLimitUnit.MINUTE, ALICE)));
    assertThat(raised.getOverallCode()).isEqualTo(OK);
    assertThat(remaining(raised)).as("of the same counter").isEqualTo(1);
    assertThat(raised.getStatuses(0).getCurrentLimit().getRequestsPerUnit()).isEqualTo(12);
    RateLimitResponse hourly = service.call(request(withLimit(3, RateLimitUnit.HOUR, ALICE)));
    assertThat(remaining(hourly)).as("a counter of its own").isEqualTo(2);
    assertThat(overallCode(withLimit(0, RateLimitUnit.MINUTE, BOB))).isEqualTo(OVER_LIMIT);
  }

  @Test
  void descriptorLimitWithoutRule_isEnforced() {
    RateLimitDescriptor own =
        withLimit(2, RateLimitUnit.MONTH, descriptor("remote_address", "10.0.0.1"));
    assertThat(service.call(request(own)).getStatuses(0).getCurrentLimit().getUnit())
        .isEqualTo(Unit.MONTH);
    assertThat(overallCode(own)).isEqualTo(OK);
    assertThat(overallCode(own)).isEqualTo(OVER_LIMIT);
    RateLimitRequest elsewhere = request(own).toBuilder().setDomain("other").build();
    assertThat(service.call(elsewhere).getOverallCode()).isEqualTo(OK);
  }

  private Code overallCode(RateLimitDescriptor descriptor) {
    return service.call(request(descriptor)).getOverallCode();
  }

  private static int remaining(RateLimitResponse response) {
    return response.getStatuses(0).getLimitRemaining();
  }
}
