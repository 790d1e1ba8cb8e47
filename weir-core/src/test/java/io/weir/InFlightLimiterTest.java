package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.LimitOverride;
import io.weir.rule.LiveRules;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** In-flight limits in the memory of one process. */
class InFlightLimiterTest {
  private final AtomicLong now = new AtomicLong(1_000_000_000_000_000L);

  private Limiter limiter(Rule... rules) {
    return Weir.limiter(RuleSet.of(rules)).clock(now::get).build();
  }

  private static Rule running(int slots) {
    return Rule.named("running").per("user").inFlight(slots).build();
  }

  private static final Request REQUEST = Request.of("user", "42");

  @Test
  void permits_holdSlotsUntilTheyAreClosed() {
    try (Limiter limiter = limiter(running(2))) {
      Limiter.Permit first = limiter.acquire(REQUEST);
      try (Limiter.Permit second = limiter.acquire(REQUEST)) {
        assertThat(second.allowed()).isTrue();
        assertThat(second.decision().remaining()).isZero();
        Limiter.Permit third = limiter.acquire(REQUEST);
        assertThat(third.allowed()).isFalse();
        assertThat(third.release()).isFalse();
        assertThat(third.decision().retryAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(limiter.acquire(Request.of("user", "other")).allowed()).isTrue();
      }
      assertThat(first.release()).isTrue();
      assertThat(first.release()).isFalse();
      assertThat(limiter.peek(REQUEST).join().remaining()).isEqualTo(2);
    }
  }

  @Test
  void decide_refundAndReset_takeAndGiveNoSlots() {
    try (Limiter limiter = limiter(running(1))) {
      for (int i = 0; i < 3; i++) {
        assertThat(limiter.decideNow(REQUEST).allowed()).isTrue();
      }
      Limiter.Permit held = limiter.acquire(REQUEST);
      assertThat(limiter.decideNow(REQUEST).allowed()).isFalse();
      limiter.refund(held.decision()).join();
      limiter.reset(REQUEST).join();
      limiter.refund(REQUEST).join();
      limiter.charge(REQUEST).join();
      assertThat(limiter.executeAll(List.of(REQUEST, REQUEST), StoreOperation.TAKE))
          .isCompletedWithValueMatching(all -> all.stream().noneMatch(Decision::allowed));
      assertThat(limiter.acquire(REQUEST).allowed()).isFalse();
      held.close();
      assertThat(limiter.reserve(REQUEST, Duration.ofSeconds(1)).join().decision().allowed())
          .isTrue();
      assertThat(limiter.acquire(REQUEST).allowed()).isTrue();
    }
  }

  @Test
  void slotHeldTooLong_isFreeAndItsReleaseChangesNothing() {
    Rule rule = running(2).edit().heldAtMost(Duration.ofSeconds(30)).build();
    try (Limiter limiter = limiter(rule)) {
      Limiter.Permit forgotten = limiter.acquire(REQUEST);
      now.addAndGet(20_000_000);
      Limiter.Permit later = limiter.acquire(REQUEST);
      now.addAndGet(9_999_999);
      assertThat(limiter.acquire(REQUEST).allowed()).isFalse();
      now.addAndGet(1);
      assertThat(limiter.peek(REQUEST).join().remaining()).isEqualTo(1);
      assertThat(forgotten.isHeld()).isFalse();
      assertThat(forgotten.release()).isFalse();
      assertThat(limiter.peek(REQUEST).join().remaining()).isEqualTo(1);
      assertThat(later.release()).isTrue();
      assertThat(limiter.peek(REQUEST).join().remaining()).isEqualTo(2);
    }
  }

  @Test
  void rateAndSlots_areTakenAllOrNothing() {
    Rule rate = Rule.named("rate").per("user").limit("3/day").algorithm("fixed-window").build();
    Rule both = Rule.named("both").limit("100/day").algorithm("fixed-window").inFlight(2).build();
    try (Limiter limiter = limiter(rate, both)) {
      List<Limiter.Permit> held = new ArrayList<>();
      held.add(limiter.acquire(REQUEST.cost(2)));
      assertThat(held.get(0).allowed()).isTrue();
      assertThat(limiter.acquire(REQUEST.cost(2)).allowed()).as("refused by the rate").isFalse();
      held.add(limiter.acquire(REQUEST));
      assertThat(held.get(1).allowed()).as("the refused request took no slot").isTrue();
      held.forEach(Limiter.Permit::close);
      assertThat(limiter.acquire(REQUEST).decision().rule()).contains("rate");
      assertThat(limiter.acquire(Request.of("user", "b")).decision().rules())
          .extracting(Decision.RuleOutcome::remaining)
          .containsExactly(2L, 1L);
    }
  }

  @Test
  void overridesAndShadow_apply() {
    Rule tiers =
        running(1)
            .edit()
            .overrides(
                new LimitOverride(
                    Rule.named("x").match("tier", "gold").limit("1/s").build().match(),
                    List.of(),
                    0,
                    3))
            .build();
    Rule shadow = Rule.named("shadow").inFlight(1).shadow(true).build();
    try (Limiter limiter = limiter(tiers, shadow)) {
      Request gold = Request.of("user", "g", "tier", "gold");
      List<Limiter.Permit> held = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        held.add(limiter.acquire(gold));
      }
      assertThat(held).extracting(Limiter.Permit::allowed).containsExactly(true, true, true, false);
      assertThat(held.get(1).decision().shadowRefused()).isTrue();
      held.forEach(Limiter.Permit::close);
      assertThat(limiter.peek(gold).join().rules())
          .extracting(Decision.RuleOutcome::remaining)
          .containsExactly(3L, 1L);
      assertThat(limiter.acquire(Request.of("user", "x")).allowed()).isTrue();
      assertThat(limiter.acquire(Request.of("user", "x")).allowed()).isFalse();
    }
  }

  @Test
  void editOfTheLimit_keepsTheSlotsInUse() {
    var rules = new LiveRules(List.of(running(1)));
    try (Limiter limiter = Weir.limiter(rules).clock(now::get).build()) {
      Limiter.Permit held = limiter.acquire(REQUEST);
      rules.replace(List.of(running(2).edit().heldAtMost(Duration.ofHours(1)).build()));
      assertThat(limiter.peek(REQUEST).join().remaining()).isEqualTo(1);
      held.close();
      assertThat(limiter.peek(REQUEST).join().remaining()).isEqualTo(2);
    }
  }

  @Test
  void invalidSlots_areRejected() {
    for (int slots : new int[] {-1, 1_000_001, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> running(slots))
          .hasMessageContaining("must be a whole number from 1 to 1000000 (was " + slots + ")");
    }
  }
}
