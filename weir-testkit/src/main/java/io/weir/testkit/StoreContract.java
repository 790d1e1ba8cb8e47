package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TooManyLimitsException;
import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract of every store. Extend it and implement {@link #open}; the store must use the given
 * clock and be empty.
 */
public abstract class StoreContract {
  private final FakeClock clock = new FakeClock();
  private ClaimStore store;

  /** Opens a new, empty store that runs by this clock. */
  protected abstract ClaimStore open(Clock clock);

  @BeforeEach
  void openStore() {
    store = open(clock);
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  /** All algorithms. */
  protected static Stream<Algorithm> algorithms() {
    return Algorithms.all().stream();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void requestsUpToLimit_areAdmittedThenRefused(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    for (int i = 1; i <= 10; i++) {
      ClaimOutcome o = take(claim(rule, "x", 1));
      assertThat(o.admitted()).isTrue();
      assertThat(o.remaining()).isEqualTo(10 - i);
    }
    ClaimOutcome refused = take(claim(rule, "x", 1));
    assertThat(refused.admitted()).isFalse();
    assertThat(refused.costExceedsLimit()).isFalse();
    assertThat(refused.degraded()).isFalse();
    assertThat(refused.remaining()).isZero();
    assertThat(take(claim(rule, "y", 10)).admitted()).as("another caller").isTrue();
  }

  /** The maximum that a limiter sends at once; a store with a lower limit would fail decisions. */
  @Test
  void maximumNumberOfClaims_isDecidedTogether() {
    Claim[] claims = new Claim[TooManyLimitsException.MAX_LIMITS];
    for (int i = 0; i < claims.length; i++) {
      claims[i] = claim(rule("r" + i, Algorithms.FIXED_WINDOW, 10).build(), "x", 1);
    }
    for (int left = 9; left >= 0; left--) {
      for (ClaimOutcome outcome : store.apply(claims, StoreOperation.TAKE).join()) {
        assertThat(outcome.degraded()).isFalse();
        assertThat(outcome.admitted()).isTrue();
        assertThat(outcome.remaining()).isEqualTo(left);
      }
    }
    assertThat(store.apply(claims, StoreOperation.TAKE).join()).noneMatch(ClaimOutcome::admitted);
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void retryAfter_isExact(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 9));
    clock.advance(Duration.ofSeconds(7));
    long wait = take(claim(rule, "x", 5)).retryAfter();
    clock.advance(Duration.ofNanos((wait - 1) * 1000));
    assertThat(take(claim(rule, "x", 5)).retryAfter()).isEqualTo(1);
    clock.advance(Duration.ofNanos(1000));
    assertThat(take(claim(rule, "x", 5)).admitted()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void afterReset_allPermitsAreAvailable(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    long reset = take(claim(rule, "x", 7)).reset();
    clock.advance(Duration.ofNanos(reset * 1000));
    ClaimOutcome o = take(claim(rule, "x", 10));
    assertThat(o.admitted()).isTrue();
    assertThat(o.delay()).isZero();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void refusal_chargesNothing(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 6));
    assertThat(take(claim(rule, "x", 5)).admitted()).isFalse();
    assertThat(take(claim(rule, "x", 4)).admitted()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void costAboveLimit_exceedsCapacity(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    assertThat(take(claim(rule, "x", 11)).costExceedsLimit()).isTrue();
    assertThat(take(claim(rule, "x", Claim.MAX_COST)).costExceedsLimit()).isTrue();
    assertThat(take(claim(rule, "x", 10)).admitted()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void peek_chargesNothing(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 3));
    for (int i = 0; i < 20; i++) {
      ClaimOutcome o = apply(StoreOperation.PEEK, claim(rule, "x", 7))[0];
      assertThat(o.admitted()).isTrue();
      assertThat(o.remaining()).isEqualTo(7);
    }
    assertThat(apply(StoreOperation.PEEK, claim(rule, "x", 8))[0].admitted()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void force_exceedsLimitAndIsCounted(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 8));
    ClaimOutcome forced = apply(StoreOperation.FORCE, claim(rule, "x", 6))[0];
    assertThat(forced.admitted()).isFalse();
    assertThat(forced.remaining()).isZero();
    assertThat(forced.debt()).isEqualTo(4);
    apply(StoreOperation.REFUND, claim(rule, "x", 4));
    assertThat(take(claim(rule, "x", 1)).admitted()).as("still at the limit").isFalse();
    apply(StoreOperation.REFUND, claim(rule, "x", 1));
    assertThat(take(claim(rule, "x", 1)).admitted()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void refund_returnsAtMostWhatWasUsed(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 4));
    apply(StoreOperation.REFUND, claim(rule, "x", Claim.MAX_COST));
    apply(StoreOperation.REFUND, claim(rule, "new", 5));
    for (String caller : List.of("x", "new")) {
      assertThat(take(claim(rule, caller, 10)).admitted()).isTrue();
      assertThat(take(claim(rule, caller, 1)).admitted()).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void fullRefund_isReset(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    Rule other = rule("b", algorithm, 10).build();
    take(claim(rule, "x", 10));
    take(claim(rule, "y", 10));
    clock.advance(Duration.ofSeconds(62));
    apply(StoreOperation.FORCE, claim(rule, "x", 10), claim(other, "x", 10), claim(rule, "y", 10));
    apply(StoreOperation.FORCE, claim(rule, "x", 7));
    assertThat(take(claim(rule, "x", 1)).admitted()).isFalse();
    ClaimOutcome reset = apply(StoreOperation.REFUND, claim(rule, "x", Claim.MAX_COST))[0];
    assertThat(reset.admitted()).isTrue();
    assertThat(reset.remaining()).isEqualTo(10);
    assertThat(reset.reset()).isZero();
    assertThat(take(claim(rule, "x", 10)).admitted()).isTrue();
    assertThat(take(claim(rule, "x", 1)).admitted()).isFalse();
    assertThat(take(claim(other, "x", 1)).admitted()).as("under another rule").isFalse();
    assertThat(take(claim(rule, "y", 1)).admitted()).as("another caller").isFalse();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void fullRefundUnderEditedLimit_isReset(Algorithm algorithm) {
    Rule generous = rule("a", algorithm, 1000).build();
    Rule strict = rule("a", algorithm, 4).build();
    take(claim(generous, "x", 1000));
    apply(StoreOperation.REFUND, claim(strict, "x", Claim.MAX_COST));
    assertThat(apply(StoreOperation.PEEK, claim(generous, "x", 1))[0].remaining()).isEqualTo(1000);
  }

  @Test
  void refund_returnsOnlyUndrainedPermits() {
    Rule rule = rule("a", Algorithms.TOKEN_BUCKET, 10).build();
    take(claim(rule, "x", 4));
    Claim held = claim(rule, "x", 6);
    long chargedAt = take(held).chargedAt(held);
    clock.advance(Duration.ofSeconds(36)); // 6 have drained: the first 4, and 2 that are held
    take(claim(rule, "x", 3));
    store.apply(new Claim[] {held}, StoreOperation.REFUND, chargedAt).join();
    assertThat(apply(StoreOperation.PEEK, claim(rule, "x", 1))[0].remaining()).isEqualTo(7);
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void outcome_reportsWhetherCharged(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    Rule shadow = rule("b", algorithm, 3).shadow(true).build();
    ClaimOutcome[] taken = apply(StoreOperation.TAKE, claim(rule, "x", 4), claim(shadow, "x", 4));
    assertThat(taken).extracting(ClaimOutcome::charged).containsExactly(true, false);
    ClaimOutcome[] refused = apply(StoreOperation.TAKE, claim(rule, "y", 4), claim(rule, "x", 7));
    assertThat(refused).extracting(ClaimOutcome::charged).containsExactly(false, false);
    assertThat(apply(StoreOperation.PEEK, claim(rule, "x", 1))[0].charged()).isFalse();
    assertThat(apply(StoreOperation.FORCE, claim(rule, "x", 9))[0].charged()).isTrue();
    assertThat(apply(StoreOperation.REFUND, claim(rule, "x", 1))[0].charged()).isFalse();
  }

  @Test
  void refund_doesNotAffectOtherWindow() {
    Rule rule = rule("a", Algorithms.FIXED_WINDOW, 10).build();
    long chargedAt = take(claim(rule, "x", 10)).time();
    clock.advance(Duration.ofMinutes(1));
    take(claim(rule, "x", 10));
    store.apply(new Claim[] {claim(rule, "x", 10)}, StoreOperation.REFUND, chargedAt).join();
    assertThat(take(claim(rule, "x", 1)).admitted()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void lease_getsAvailablePermits(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    ClaimOutcome whole = apply(StoreOperation.LEASE, claim(rule, "x", 7))[0];
    assertThat(whole.admitted()).isTrue();
    assertThat(whole.remaining()).as("left").isEqualTo(3);
    ClaimOutcome partial = apply(StoreOperation.LEASE, claim(rule, "x", 7))[0];
    assertThat(partial.admitted()).isFalse();
    assertThat(partial.remaining()).as("granted").isEqualTo(3);
    ClaimOutcome none = apply(StoreOperation.LEASE, claim(rule, "x", 7))[0];
    assertThat(none.admitted()).isFalse();
    assertThat(none.remaining()).as("granted").isZero();
    assertThat(none.delayOrWait()).as("until a permit is available").isPositive();
    assertThat(take(claim(rule, "x", 1)).admitted()).isFalse();
  }

  @Test
  void leases_areIndependent() {
    Rule wide = rule("wide", Algorithms.TOKEN_BUCKET, 10).build();
    Rule narrow = rule("narrow", Algorithms.FIXED_WINDOW, 1).build();
    ClaimOutcome[] granted =
        apply(StoreOperation.LEASE, claim(wide, "x", 4), claim(narrow, "x", 4));
    assertThat(admitted(granted)).containsExactly(true, false);
    assertThat(granted[1].remaining()).isEqualTo(1);
    assertThat(apply(StoreOperation.PEEK, claim(wide, "x", 1))[0].remaining()).isEqualTo(6);
  }

  @Test
  void usageDatedEarlier_countsInItsOwnWindow() {
    Rule fixed = rule("fixed", Algorithms.FIXED_WINDOW, 10).build();
    Rule log = rule("log", Algorithms.SLIDING_LOG, 10).build();
    Rule counter = rule("counter", Algorithms.SLIDING_COUNTER, 10).build();
    long then = take(claim(fixed, "x", 1)).time();
    clock.advance(Duration.ofMinutes(1));
    Claim[] late = {claim(fixed, "x", 4), claim(log, "x", 4), claim(counter, "x", 4)};
    ClaimOutcome[] after = store.apply(late, StoreOperation.FORCE, then).join();
    assertThat(after[0].remaining()).as("in the past window").isEqualTo(10);
    assertThat(after[1].remaining()).as("a period ago").isEqualTo(10);
    assertThat(after[2].remaining()).as("in the previous window").isBetween(6L, 9L);
  }

  @Test
  void severalClaims_areChargedAllOrNone() {
    Rule wide = rule("wide", Algorithms.TOKEN_BUCKET, 10).build();
    Rule narrow = rule("narrow", Algorithms.FIXED_WINDOW, 1).build();
    List<Claim[]> orders =
        List.of(
            new Claim[] {claim(wide, "x", 1), claim(narrow, "x", 1)},
            new Claim[] {claim(narrow, "x", 1), claim(wide, "x", 1)});
    assertThat(admitted(apply(StoreOperation.TAKE, orders.get(0)))).containsExactly(true, true);
    for (int i = 0; i < 20; i++) {
      assertThat(admitted(apply(StoreOperation.TAKE, orders.get(i % 2)))).contains(false);
    }
    assertThat(apply(StoreOperation.PEEK, claim(wide, "x", 1))[0].remaining()).isEqualTo(9);
  }

  @Test
  void claimsOnSameKey_areEvaluatedInOrder() {
    Rule rule = rule("a", Algorithms.TOKEN_BUCKET, 3).build();
    Claim two = claim(rule, "x", 2);
    assertThat(admitted(apply(StoreOperation.TAKE, two, two))).containsExactly(true, false);
    assertThat(apply(StoreOperation.PEEK, two)[0].remaining()).as("nothing was taken").isEqualTo(3);
    Claim one = claim(rule, "x", 1);
    assertThat(admitted(apply(StoreOperation.TAKE, one, one, one)))
        .containsExactly(true, true, true);
    assertThat(take(one).admitted()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void claimsOnSameKey_areCheckedAgainstTheirOwnLimit(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 5).build();
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    for (int caller = 0; caller < 20; caller++) {
      long used = 0;
      for (int i = 0; i < 10; i++) {
        Claim[] claims = new Claim[1 + history.below(4)];
        long asked = 0;
        boolean fit = true;
        for (int k = 0; k < claims.length; k++) {
          Limit limit =
              CompiledRule.of(rule)
                  .limit(new Rate(5L + 5L * history.below(4), Duration.ofMinutes(1)));
          claims[k] =
              Claim.of(limit, store.fingerprint().of("caller " + caller), 1 + history.below(2));
          asked += claims[k].cost();
          fit &= used + asked <= limit.capacity();
        }
        assertThat(!admitted(apply(StoreOperation.TAKE, claims)).contains(false))
            .as("-Dweir.seed=%d used %d %s", seed, used, List.of(claims))
            .isEqualTo(fit);
        used += fit ? asked : 0;
      }
    }
  }

  @Test
  void limitOfZero_admitsNothing() {
    Rule rule = Rule.named("a").per("user").limit("0/minute").build();
    assertThat(take(claim(rule, "x", 1)).costExceedsLimit()).isTrue();
    apply(StoreOperation.FORCE, claim(rule, "x", 1));
    apply(StoreOperation.REFUND, claim(rule, "x", 5));
    clock.advance(Duration.ofDays(1));
    ClaimOutcome o = take(claim(rule, "x", 1));
    assertThat(o.costExceedsLimit()).isTrue();
    assertThat(o.remaining()).isZero();
    assertThat(o.reset()).isZero();
  }

  @Test
  void shadowRule_doesNotPreventCharging() {
    Rule shadow = rule("shadow", Algorithms.TOKEN_BUCKET, 1).shadow(true).build();
    Rule real = rule("real", Algorithms.TOKEN_BUCKET, 3).build();
    for (int i = 0; i < 3; i++) {
      ClaimOutcome[] o = apply(StoreOperation.TAKE, claim(shadow, "x", 1), claim(real, "x", 1));
      assertThat(o[0].admitted()).isEqualTo(i == 0);
      assertThat(o[1].admitted()).isTrue();
      assertThat(o[1].remaining()).isEqualTo(2 - i);
    }
    assertThat(take(claim(real, "x", 1)).admitted()).isFalse();
  }

  @Test
  void deferredRule_isCheckedButNotChargedByTake() {
    Rule failures = rule("failures", Algorithms.TOKEN_BUCKET, 2).chargeWhen("401").build();
    Rule all = rule("all", Algorithms.TOKEN_BUCKET, 9).build();
    for (int i = 0; i < 3; i++) {
      ClaimOutcome[] o = apply(StoreOperation.TAKE, claim(failures, "x", 1), claim(all, "x", 1));
      assertThat(o).allMatch(ClaimOutcome::admitted);
      assertThat(o[0].charged()).isFalse();
      assertThat(o[0].remaining()).isEqualTo(2);
      assertThat(o[1].remaining()).isEqualTo(8 - i);
    }
    apply(StoreOperation.FORCE, claim(failures, "x", 3));
    ClaimOutcome[] refused =
        apply(StoreOperation.TAKE, claim(failures, "x", 1), claim(all, "x", 1));
    assertThat(refused[0].admitted()).isFalse();
    assertThat(refused[1].charged()).isFalse();
    assertThat(apply(StoreOperation.PEEK, claim(all, "x", 1))[0].remaining()).isEqualTo(6);
  }

  @Test
  void refusedRequest_doesNotChargeShadowRule() {
    Rule shadow = rule("shadow", Algorithms.TOKEN_BUCKET, 5).shadow(true).build();
    Rule real = rule("real", Algorithms.TOKEN_BUCKET, 1).build();
    for (int i = 0; i < 4; i++) {
      apply(StoreOperation.TAKE, claim(shadow, "x", 1), claim(real, "x", 1));
    }
    assertThat(apply(StoreOperation.PEEK, claim(shadow, "x", 1))[0].remaining()).isEqualTo(4);
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void editedLimit_keepsCountersAndAppliesAtOnce(Algorithm algorithm) {
    take(claim(rule("a", algorithm, 10).build(), "x", 10));
    Rule raised = rule("a", algorithm, 1000).build();
    assertThat(apply(StoreOperation.PEEK, claim(raised, "x", 1))[0].remaining()).isEqualTo(990);
    Rule lowered = rule("a", algorithm, 4).build();
    assertThat(take(claim(lowered, "x", 1)).admitted()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void clockStepBack_refillsNothingAndBoundsWait(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 10));
    clock.advance(Duration.ofHours(-1));
    ClaimOutcome refused = take(claim(rule, "x", 1));
    assertThat(refused.admitted()).isFalse();
    assertThat(refused.retryAfter()).isLessThanOrEqualTo(2 * 60_000_000L);
    clock.advance(Duration.ofNanos(refused.retryAfter() * 1000));
    assertThat(take(claim(rule, "x", 1)).admitted()).isTrue();
  }

  @Test
  void noClaims_giveNoOutcomes() {
    assertThat(apply(StoreOperation.TAKE)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void manyThreadsOnFreshKey_getExactlyTheLimit(Algorithm algorithm) throws Exception {
    Rule rule = rule("a", algorithm, 100).build();
    for (int round = 0; round < 10; round++) {
      Claim[] one = {claim(rule, "round " + round, 1)};
      assertThat(
              inParallel(16, 16, () -> store.apply(one, StoreOperation.TAKE).join()[0].admitted()))
          .isEqualTo(100);
    }
  }

  @Test
  void manyThreadsOnSeveralKeys_chargeAllOrNone() throws Exception {
    Rule shared = rule("shared", Algorithms.TOKEN_BUCKET, 150).build();
    Rule own = rule("own", Algorithms.FIXED_WINDOW, 100).build();
    Claim[] first = {claim(own, "x", 1), claim(shared, "all", 1)};
    Claim[] second = {claim(shared, "all", 1), claim(own, "y", 1)};
    AtomicInteger turn = new AtomicInteger();
    int admitted =
        inParallel(
            8,
            50,
            () -> {
              Claim[] claims = turn.getAndIncrement() % 2 == 0 ? first : second;
              return !admitted(store.apply(claims, StoreOperation.TAKE).join()).contains(false);
            });
    long leftOfX = apply(StoreOperation.PEEK, claim(own, "x", 1))[0].remaining();
    long leftOfY = apply(StoreOperation.PEEK, claim(own, "y", 1))[0].remaining();
    assertThat(admitted).isEqualTo(150);
    assertThat(100 - leftOfX + 100 - leftOfY).as("charged to callers").isEqualTo(150);
  }

  private static int inParallel(int threads, int each, Callable<Boolean> step) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Integer>> futures = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        futures.add(
            pool.submit(
                () -> {
                  int yes = 0;
                  for (int i = 0; i < each; i++) {
                    yes += step.call() ? 1 : 0;
                  }
                  return yes;
                }));
      }
      int sum = 0;
      for (Future<Integer> future : futures) {
        sum += future.get();
      }
      return sum;
    } finally {
      pool.shutdownNow();
    }
  }

  private static RuleBuilder rule(String id, Algorithm algorithm, int permits) {
    return Rule.named(id).algorithm(algorithm.name()).per("user").limit(permits + "/minute");
  }

  private Claim claim(Rule rule, String caller, long cost) {
    return Claim.of(CompiledRule.of(rule).limits().get(0), store.fingerprint().of(caller), cost);
  }

  private ClaimOutcome take(Claim claim) {
    return apply(StoreOperation.TAKE, claim)[0];
  }

  private ClaimOutcome[] apply(StoreOperation operation, Claim... claims) {
    return store.apply(claims, operation).join();
  }

  private static List<Boolean> admitted(ClaimOutcome[] outcomes) {
    return Arrays.stream(outcomes).map(ClaimOutcome::admitted).toList();
  }
}
