package io.weir.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreOperation;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The answers of the rules' fallbacks. */
class FallbackDeciderTest {
  private final AtomicLong time = new AtomicLong(1_000_000_000);
  private final Fingerprint fingerprint = Fingerprint.random();
  private final FallbackDecider decider = new FallbackDecider(time::get);

  @Test
  void openAdmits_closedRefusesWithRetryAfter() {
    ClaimOutcome open =
        decide(StoreOperation.TAKE, claim(rule("a", StoreFailureFallback.OPEN), 1))[0];
    assertThat(open).isEqualTo(ClaimOutcome.degraded(true, time.get()));
    ClaimOutcome closed =
        decide(StoreOperation.TAKE, claim(rule("a", StoreFailureFallback.CLOSED), 1))[0];
    assertThat(closed.admitted()).isFalse();
    assertThat(closed.costExceedsLimit()).isFalse();
    assertThat(closed.retryAfter()).isPositive();
  }

  @Test
  void limitOfZero_refusesUnderEveryFallback() {
    for (StoreFailureFallback fallback :
        List.of(
            StoreFailureFallback.OPEN,
            StoreFailureFallback.CLOSED,
            StoreFailureFallback.local(10))) {
      Rule none = rule("a", fallback).edit().limit("0/minute").build();
      assertThat(decide(StoreOperation.TAKE, claim(none, 1))[0].admitted())
          .as(fallback.toString())
          .isFalse();
    }
  }

  @Test
  void localFallback_countsShareAndRefills() {
    Claim one = claim(rule("a", StoreFailureFallback.local(25)), 1);
    for (int i = 0; i < 25; i++) {
      assertThat(decide(StoreOperation.TAKE, one)[0].admitted()).isTrue();
    }
    ClaimOutcome refused = decide(StoreOperation.TAKE, one)[0];
    assertThat(refused.admitted()).isFalse();
    assertThat(refused.degraded()).isTrue();
    time.addAndGet(refused.retryAfter());
    assertThat(decide(StoreOperation.TAKE, one)[0].admitted()).isTrue();
  }

  @Test
  void costAboveShare_isRefusedTemporarily() {
    ClaimOutcome o =
        decide(StoreOperation.TAKE, claim(rule("a", StoreFailureFallback.local(10)), 50))[0];
    assertThat(o.admitted()).isFalse();
    assertThat(o.costExceedsLimit()).as("it is within the whole limit").isFalse();
  }

  @Test
  void closedRule_preventsChargingShares() {
    Claim local = claim(rule("a", StoreFailureFallback.local(10)), 1);
    Claim closed = claim(rule("b", StoreFailureFallback.CLOSED), 1);
    for (int i = 0; i < 100; i++) {
      assertThat(admitted(decide(StoreOperation.TAKE, local, closed))).containsExactly(true, false);
      assertThat(admitted(decide(StoreOperation.TAKE, closed, local))).containsExactly(false, true);
    }
    assertThat(decide(StoreOperation.PEEK, local)[0].remaining()).isEqualTo(10);
  }

  @Test
  void closedShadowRule_doesNotPreventCharging() {
    Claim local = claim(rule("a", StoreFailureFallback.local(10)), 1);
    Rule shadow = rule("b", StoreFailureFallback.CLOSED).edit().shadow(true).build();
    decide(StoreOperation.TAKE, local, claim(shadow, 1));
    assertThat(decide(StoreOperation.PEEK, local)[0].remaining()).isEqualTo(9);
  }

  @Test
  void severalShares_areChargedAllOrNone() {
    Claim wide = claim(rule("a", StoreFailureFallback.local(50)), 1);
    Claim narrow = claim(rule("b", StoreFailureFallback.local(2)), 1);
    Claim open = claim(rule("c", StoreFailureFallback.OPEN), 1);
    for (int i = 0; i < 20; i++) {
      assertThat(admitted(decide(StoreOperation.TAKE, wide, open, narrow)))
          .containsExactly(true, true, i < 2);
    }
    assertThat(decide(StoreOperation.PEEK, wide)[0].remaining()).isEqualTo(48);
  }

  @Test
  void peekChargesNothing_refundGivesBack() {
    Claim local = claim(rule("a", StoreFailureFallback.local(10)), 4);
    decide(StoreOperation.TAKE, local);
    decide(StoreOperation.PEEK, local);
    assertThat(decide(StoreOperation.PEEK, local)[0].remaining()).isEqualTo(6);
    decide(StoreOperation.REFUND, local);
    assertThat(decide(StoreOperation.PEEK, local)[0].remaining()).isEqualTo(10);
  }

  private static Rule rule(String id, StoreFailureFallback fallback) {
    RuleBuilder builder = Rule.named(id).limit("100/minute");
    return builder.onStoreFailure(fallback).build();
  }

  private Claim claim(Rule rule, long cost) {
    return Claim.of(CompiledRule.of(rule).limits().get(0), fingerprint.of("x"), cost);
  }

  private ClaimOutcome[] decide(StoreOperation operation, Claim... claims) {
    return decider.decide(claims, operation, ClaimStore.NOW);
  }

  private static List<Boolean> admitted(ClaimOutcome[] outcomes) {
    return Arrays.stream(outcomes).map(ClaimOutcome::admitted).toList();
  }
}
