package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.internal.store.StoreFailureGuard;
import io.weir.internal.store.nodes.RoutingStore;
import io.weir.rule.Consistency;
import io.weir.rule.LimitOverride;
import io.weir.rule.LiveRules;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleSet;
import io.weir.rule.Selector;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of refunds of decisions and reservations. */
class RefundTest {
  private static final long MINUTE = 60_000_000;
  private static final Request USER = Request.of("user", "x");

  private final AtomicLong now = new AtomicLong(1_800_000_000_000_000L);
  private final MemoryStore store = new MemoryStore(now::get);

  static Stream<Algorithm> algorithms() {
    return Algorithms.all().stream();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void canceledOldReservations_doNotAccumulatePermits(Algorithm algorithm) {
    Limiter limiter = limiter(rule("api").algorithm(algorithm.name()).build());
    List<Reservation> held = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      held.add(limiter.reserve(USER.cost(100), Duration.ofDays(1)).join());
      now.addAndGet(2 * MINUTE);
    }
    int admitted = 0;
    for (Reservation one : held) {
      assertThat(one.decision().allowed()).isTrue();
      admitted += drain(limiter);
      one.cancel().join();
    }
    assertThat(admitted + drain(limiter)).isEqualTo(100);
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void consecutiveReservations_areAllRefunded(Algorithm algorithm) {
    Limiter limiter = limiter(rule("api").algorithm(algorithm.name()).build());
    List<Reservation> held = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      held.add(limiter.reserve(USER.cost(10), Duration.ofDays(1)).join());
    }
    now.addAndGet(MINUTE / 5);
    held.forEach(one -> one.cancel().join());
    assertThat(drain(limiter)).isEqualTo(100);
  }

  @Test
  void partialRefund_takesThePermitsThatDrainLast() {
    Limiter limiter = limiter(rule("api").build());
    limiter.decideNow(USER.cost(50));
    Reservation held = limiter.reserve(USER.cost(50), Duration.ofDays(1)).join();
    now.addAndGet(MINUTE * 3 / 4); // 25 of the reservation have drained
    held.commit(40).join();
    assertThat(remaining(limiter)).as("15 of the 40 are still counted").isEqualTo(85);
  }

  @Test
  void rulesChargedAtDifferentTimes_areEachRefundedInFull() {
    Clock ticking = now::incrementAndGet; // advances by one microsecond per read
    StoreFailureGuard guard =
        new StoreFailureGuard(
            ticking, Duration.ofMillis(5), 100, StoreListener.NONE, (after, task) -> {});
    ClaimStore shared = new MemoryStore(ticking);
    ClaimStore routed = new RoutingStore(shared, guard, (after, task) -> {}, Duration.ZERO);
    for (Algorithm algorithm : Algorithms.all()) {
      for (Consistency consistency :
          List.of(Consistency.LOCAL, Consistency.LEASED, Consistency.EXACT)) {
        Rule first =
            Rule.named("first").per("user").limit("10/minute").algorithm(algorithm.name()).build();
        Rule second = rule("second").consistency(consistency).build();
        Limiter limiter =
            Weir.limiter(RuleSet.of(first, second)).store(routed).clock(ticking).build();
        Request user = Request.of("user", algorithm.name() + consistency);
        Reservation held = limiter.reserve(user.cost(8), Duration.ofMinutes(1)).join();
        now.addAndGet(1000);
        held.cancel().join();
        Decision left = limiter.peek(user).join();
        assertThat(left.rules().get(0).remaining())
            .as("%s, %s", algorithm, consistency)
            .isEqualTo(10);
        assertThat(left.rules().get(1).remaining())
            .as("%s, %s", algorithm, consistency)
            .isEqualTo(100);
      }
    }
  }

  @Test
  void exhaustedShadowRule_isNotRefunded() {
    Rule shadow = Rule.named("shadow").per("user").limit("5/minute").shadow(true).build();
    Limiter limiter = limiter(shadow, rule("api").build());
    limiter.decideNow(USER.cost(4));
    Decision decision = limiter.decideNow(USER.cost(3));
    assertThat(decision.shadowRefused()).isTrue();
    assertThat(limiter.refund(decision).join()).isTrue();
    Decision left = limiter.peek(USER).join();
    assertThat(left.rules().get(0).remaining()).as("shadow").isEqualTo(1);
    assertThat(left.rules().get(1).remaining()).as("api").isEqualTo(96);
  }

  @Test
  void decisionThatChargedNothing_refundsNothing() {
    Limiter limiter = limiter(rule("api").build());
    limiter.decideNow(USER.cost(90));
    limiter.refund(limiter.peek(USER.cost(5)).join()).join();
    limiter.refund(limiter.decideNow(USER.cost(50))).join();
    limiter.refund(limiter.refund(USER.cost(10)).join()).join();
    List<Request> tooMany = List.of(USER.cost(15), USER.cost(15));
    limiter
        .executeAll(tooMany, StoreOperation.TAKE)
        .join()
        .forEach(one -> limiter.refund(one).join());
    assertThat(remaining(limiter)).isEqualTo(20);
  }

  @Test
  void forcedCharge_isRefunded() {
    Limiter limiter = limiter(rule("api").build());
    limiter.decideNow(USER.cost(90));
    Decision forced = limiter.charge(USER.cost(50)).join();
    assertThat(forced.allowed()).isFalse();
    limiter.refund(forced).join();
    assertThat(remaining(limiter)).isEqualTo(10);
  }

  @Test
  void refundAfterRuleChange_refundsWhatWasCharged() {
    Rule other = rule("other").build();
    LiveRules rules = new LiveRules(List.of(rule("api").build(), other));
    Limiter limiter = Weir.limiter(rules).store(store).clock(now::get).build();
    Decision decision = limiter.decideNow(USER.cost(30));

    Rule raised = Rule.named("api").per("user").limit("10000/minute").build();
    rules.replace(List.of(raised, rule("new").build()));
    limiter.decideNow(USER.cost(60));
    limiter.charge(Request.of("user", "x").cost(2000)).join();
    rules.replace(List.of(raised, other, rule("new").build()));
    limiter.refund(decision).join();

    List<Decision.RuleOutcome> left = limiter.peek(USER).join().rules();
    assertThat(left.get(0).remaining()).as("raised").isEqualTo(10_000 - 2060);
    assertThat(left.get(1).remaining()).as("removed and added again").isEqualTo(100);
    assertThat(left.get(2).remaining()).as("new: charged by others").isZero();
  }

  @Test
  void refundAfterRuleBecameShadow_refundsWhatWasCharged() {
    LiveRules rules = new LiveRules(List.of(rule("api").build()));
    Limiter limiter = Weir.limiter(rules).store(store).clock(now::get).build();
    Decision decision = limiter.decideNow(USER.cost(30));
    rules.replace(List.of(rule("api").shadow(true).build()));
    limiter.decideNow(USER.cost(5));
    limiter.refund(decision).join();
    assertThat(limiter.peek(USER).join().rules().get(0).remaining()).isEqualTo(95);
  }

  @Test
  void refundUnderOverride_doesNotApplyTheDefaultLimit() {
    Selector acme = Selector.of("user", "x");
    Rule before = rule("api").overrides(LimitOverride.of(acme, "5000/minute")).build();
    Rule after = before.edit().limit("90/minute").build();
    LiveRules rules = new LiveRules(List.of(before));
    Limiter limiter = Weir.limiter(rules).store(store).clock(now::get).build();
    Decision decision = limiter.decideNow(USER.cost(1000));
    limiter.decideNow(USER.cost(2000));
    rules.replace(List.of(after));
    limiter.refund(decision).join();
    assertThat(remaining(limiter)).isEqualTo(3000);
  }

  private Limiter limiter(Rule... rules) {
    return Weir.limiter(RuleSet.of(rules)).store(store).clock(now::get).build();
  }

  private static RuleBuilder rule(String id) {
    return Rule.named(id).per("user").limit("100/minute");
  }

  private static int drain(Limiter limiter) {
    int admitted = 0;
    while (limiter.decideNow(USER).allowed()) {
      admitted++;
    }
    return admitted;
  }

  private static long remaining(Limiter limiter) {
    return limiter.peek(USER).join().remaining();
  }
}
