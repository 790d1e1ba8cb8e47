package io.weir.server.rls;

import static io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code.OK;
import static io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code.OVER_LIMIT;
import static io.weir.server.rls.Calls.back;
import static io.weir.server.rls.Calls.call;
import static io.weir.server.rls.Calls.descriptor;
import static io.weir.server.rls.Calls.hits;
import static io.weir.server.rls.Calls.limited;
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

/** Hits, peeks, refunds, charges and limits of a descriptor's own. */
class ModesTest {
  private static final RateLimitDescriptor ALICE = descriptor("user", "alice");
  private static final RateLimitDescriptor BOB = descriptor("user", "bob");
  private static final RateLimitDescriptor DONE =
      descriptor("user", "alice", "weir.mode", "charge");

  private final OpenedDoor door =
      new OpenedDoor(
          Weir.limiter(
                  RuleSet.of(
                      Rule.named("api").per("user").limit("10/minute").build(),
                      Rule.named("ip").per("ip").limit("1/minute").build()))
              .clock(new FakeClock())
              .build());

  @AfterEach
  void close() {
    door.close();
  }

  @Test
  void hitsOfTheCallHoldUnlessADescriptorHasItsOwn() {
    RateLimitRequest call = call(ALICE, hits(2, BOB)).toBuilder().setHitsAddend(4).build();
    assertThat(door.call(call).getStatusesList())
        .extracting(DescriptorStatus::getLimitRemaining)
        .containsExactly(6, 8);
    RateLimitRequest none = call(ALICE).toBuilder().setHitsAddend(0).build();
    assertThat(left(door.call(none))).as("0 of a call is 1").isEqualTo(5);
  }

  @Test
  void noHitsOfADescriptorAreAPeek() {
    door.call(call(hits(9, ALICE)));
    for (int i = 0; i < 5; i++) {
      RateLimitResponse peeked = door.call(call(hits(0, ALICE)));
      assertThat(peeked.getOverallCode()).isEqualTo(OK);
      assertThat(left(peeked)).isEqualTo(1);
    }
    door.call(call(ALICE));
    assertThat(code(hits(0, ALICE))).as("no permit is left").isEqualTo(OVER_LIMIT);
  }

  @Test
  void weirModePeekAsksForAllItsHits() {
    door.call(call(hits(7, ALICE)));
    RateLimitDescriptor peek = descriptor("user", "alice", "weir.mode", "peek");
    assertThat(code(hits(3, peek))).isEqualTo(OK);
    assertThat(code(hits(4, peek))).isEqualTo(OVER_LIMIT);
    assertThat(code(hits(3, peek))).as("nothing was charged").isEqualTo(OK);
  }

  @Test
  void negativeHitsGiveBackNoMoreThanWasUsed() {
    door.call(call(hits(10, ALICE)));
    RateLimitResponse refund = door.call(call(back(hits(4, ALICE))));
    assertThat(refund.getOverallCode()).isEqualTo(OK);
    assertThat(left(refund)).isEqualTo(4);
    assertThat(left(door.call(call(back(hits(100, ALICE)))))).isEqualTo(10);
    assertThat(code(back(hits(100, BOB)))).as("never used").isEqualTo(OK);
    assertThat(code(back(hits(0, ALICE)))).isEqualTo(OK);
  }

  @Test
  void negativeHitsOfWhoIsOverTheLimitAreOk() {
    door.call(call(hits(10, ALICE)));
    door.call(call(hits(5, DONE)));
    RateLimitResponse refund = door.call(call(back(hits(1, ALICE))));
    assertThat(refund.getOverallCode()).isEqualTo(OK);
    assertThat(refund.getStatuses(0).getCode()).isEqualTo(OK);
    assertThat(refund.getRawBody().isEmpty()).isTrue();
  }

  @Test
  void weirModeChargeGoesPastTheLimit() {
    door.call(call(hits(8, ALICE)));
    RateLimitResponse charged = door.call(call(hits(7, DONE)));
    assertThat(charged.getOverallCode()).isEqualTo(OK);
    assertThat(charged.getStatuses(0).getCode()).isEqualTo(OK);
    assertThat(left(charged)).isZero();
    door.call(call(back(hits(5, ALICE))));
    assertThat(code(ALICE)).as("still at the limit").isEqualTo(OVER_LIMIT);
    assertThat(code(hits(0, DONE))).as("nothing to charge").isEqualTo(OK);
    door.call(call(back(hits(1, ALICE))));
    assertThat(code(ALICE)).isEqualTo(OK);
  }

  @Test
  void weirModeIsNoAttribute() {
    door.call(call(hits(3, DONE)));
    assertThat(left(door.call(call(hits(0, ALICE))))).isEqualTo(7);
  }

  @Test
  void aPeekThatIsRefusedKeepsTheRestFromBeingCharged() {
    RateLimitDescriptor ip = descriptor("ip", "10.0.0.1");
    door.call(call(ip));
    RateLimitResponse answer = door.call(call(ALICE, hits(0, ip)));
    assertThat(answer.getOverallCode()).isEqualTo(OVER_LIMIT);
    assertThat(answer.getStatusesList())
        .extracting(DescriptorStatus::getCode)
        .containsExactly(OK, OVER_LIMIT);
    assertThat(left(door.call(call(hits(0, ALICE))))).isEqualTo(10);
    assertThat(door.call(call(ALICE, hits(0, descriptor("ip", "10.0.0.2")))).getOverallCode())
        .isEqualTo(OK);
    assertThat(left(door.call(call(hits(0, ALICE))))).isEqualTo(9);
  }

  @Test
  void allModesMayStandInOneCall() {
    door.call(call(hits(10, ALICE), hits(10, BOB)));
    RateLimitDescriptor carol = descriptor("user", "carol");
    RateLimitDescriptor later = descriptor("user", "bob", "weir.mode", "charge");
    RateLimitResponse answer =
        door.call(call(hits(2, later), hits(3, ALICE), back(hits(5, ALICE)), hits(0, carol)));
    assertThat(answer.getOverallCode()).isEqualTo(OK);
    assertThat(answer.getStatusesList())
        .extracting(DescriptorStatus::getLimitRemaining)
        .as("given back first, then taken; charged past the limit")
        .containsExactly(0, 2, 5, 10);
  }

  @Test
  void aRefusedTakeDoesNotUndoWhatHasHappened() {
    door.call(call(hits(10, ALICE)));
    RateLimitDescriptor bobDone = descriptor("user", "bob", "weir.mode", "charge");
    assertThat(door.call(call(ALICE, hits(4, bobDone))).getOverallCode()).isEqualTo(OVER_LIMIT);
    assertThat(left(door.call(call(hits(0, BOB))))).isEqualTo(6);
  }

  @Test
  void aLimitOfTheDescriptorsOwnHoldsInsteadOfTheRules() {
    door.call(call(hits(10, ALICE)));
    assertThat(code(ALICE)).isEqualTo(OVER_LIMIT);
    RateLimitResponse raised = door.call(call(limited(12, RateLimitUnit.MINUTE, ALICE)));
    assertThat(raised.getOverallCode()).isEqualTo(OK);
    assertThat(left(raised)).as("of the same counter").isEqualTo(1);
    assertThat(raised.getStatuses(0).getCurrentLimit().getRequestsPerUnit()).isEqualTo(12);
    RateLimitResponse hourly = door.call(call(limited(3, RateLimitUnit.HOUR, ALICE)));
    assertThat(left(hourly)).as("a counter of its own").isEqualTo(2);
    assertThat(code(limited(0, RateLimitUnit.MINUTE, BOB))).isEqualTo(OVER_LIMIT);
  }

  @Test
  void aLimitOfItsOwnNeedsNoRule() {
    RateLimitDescriptor own =
        limited(2, RateLimitUnit.MONTH, descriptor("remote_address", "10.0.0.1"));
    assertThat(door.call(call(own)).getStatuses(0).getCurrentLimit().getUnit())
        .isEqualTo(Unit.MONTH);
    assertThat(code(own)).isEqualTo(OK);
    assertThat(code(own)).isEqualTo(OVER_LIMIT);
    RateLimitRequest elsewhere = call(own).toBuilder().setDomain("other").build();
    assertThat(door.call(elsewhere).getOverallCode()).isEqualTo(OK);
  }

  private Code code(RateLimitDescriptor descriptor) {
    return door.call(call(descriptor)).getOverallCode();
  }

  private static int left(RateLimitResponse answer) {
    return answer.getStatuses(0).getLimitRemaining();
  }
}
