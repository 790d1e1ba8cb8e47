package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TooManyLimitsException;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.store.Clock;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
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
 * What every store must keep. Extend it and say how to open the store; it must take its time from
 * the clock it is given and be empty.
 */
public abstract class StoreContract {
  private final FakeClock clock = new FakeClock();
  private Store store;

  /** A new, empty store that lives by this clock. */
  protected abstract Store open(Clock clock);

  @BeforeEach
  void openStore() {
    store = open(clock);
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  /** The algorithms of the catalogue. */
  protected static Stream<Algorithm> algorithms() {
    return Algorithms.all().stream();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void admitsTheLimitAndThenRefuses(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    for (int i = 1; i <= 10; i++) {
      Outcome o = take(claim(rule, "x", 1));
      assertThat(o.fits()).isTrue();
      assertThat(o.remaining()).isEqualTo(10 - i);
    }
    Outcome refused = take(claim(rule, "x", 1));
    assertThat(refused.fits()).isFalse();
    assertThat(refused.never()).isFalse();
    assertThat(refused.degraded()).isFalse();
    assertThat(refused.remaining()).isZero();
    assertThat(take(claim(rule, "y", 10)).fits()).as("another caller").isTrue();
  }

  /** As many as a limiter sends at once; a store that could not would count it as its failure. */
  @Test
  void asManyClaimsAsALimiterSends_areDecidedTogether() {
    Claim[] claims = new Claim[TooManyLimitsException.MAX_LIMITS];
    for (int i = 0; i < claims.length; i++) {
      claims[i] = claim(rule("r" + i, Algorithms.FIXED_WINDOW, 10).build(), "x", 1);
    }
    for (int left = 9; left >= 0; left--) {
      for (Outcome outcome : store.take(claims, Mode.TAKE).join()) {
        assertThat(outcome.degraded()).isFalse();
        assertThat(outcome.fits()).isTrue();
        assertThat(outcome.remaining()).isEqualTo(left);
      }
    }
    assertThat(store.take(claims, Mode.TAKE).join()).noneMatch(Outcome::fits);
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void theWaitItNamesIsExact(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 9));
    clock.advance(Duration.ofSeconds(7));
    long wait = take(claim(rule, "x", 5)).waitFor();
    clock.advance(Duration.ofNanos((wait - 1) * 1000));
    assertThat(take(claim(rule, "x", 5)).waitFor()).isEqualTo(1);
    clock.advance(Duration.ofNanos(1000));
    assertThat(take(claim(rule, "x", 5)).fits()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void everythingIsBackAfterTheReset(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    long reset = take(claim(rule, "x", 7)).reset();
    clock.advance(Duration.ofNanos(reset * 1000));
    Outcome o = take(claim(rule, "x", 10));
    assertThat(o.fits()).isTrue();
    assertThat(o.delay()).isZero();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void aRefusalTakesNothing(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 6));
    assertThat(take(claim(rule, "x", 5)).fits()).isFalse();
    assertThat(take(claim(rule, "x", 4)).fits()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void neverIsNotNotNow(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    assertThat(take(claim(rule, "x", 11)).never()).isTrue();
    assertThat(take(claim(rule, "x", Claim.MAX_COST)).never()).isTrue();
    assertThat(take(claim(rule, "x", 10)).fits()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void peekingTakesNothing(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 3));
    for (int i = 0; i < 20; i++) {
      Outcome o = ask(Mode.PEEK, claim(rule, "x", 7))[0];
      assertThat(o.fits()).isTrue();
      assertThat(o.remaining()).isEqualTo(7);
    }
    assertThat(ask(Mode.PEEK, claim(rule, "x", 8))[0].fits()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void forcingGoesPastTheLimitAndIsRemembered(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 8));
    Outcome forced = ask(Mode.FORCE, claim(rule, "x", 6))[0];
    assertThat(forced.fits()).isFalse();
    assertThat(forced.remaining()).isZero();
    assertThat(forced.debt()).isEqualTo(4);
    ask(Mode.REFUND, claim(rule, "x", 4));
    assertThat(take(claim(rule, "x", 1)).fits()).as("still at the limit").isFalse();
    ask(Mode.REFUND, claim(rule, "x", 1));
    assertThat(take(claim(rule, "x", 1)).fits()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void aRefundGivesBackNoMoreThanWasUsed(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 4));
    ask(Mode.REFUND, claim(rule, "x", Claim.MAX_COST));
    ask(Mode.REFUND, claim(rule, "new", 5));
    for (String caller : List.of("x", "new")) {
      assertThat(take(claim(rule, caller, 10)).fits()).isTrue();
      assertThat(take(claim(rule, caller, 1)).fits()).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void givingEverythingBackIsAReset(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    Rule other = rule("b", algorithm, 10).build();
    take(claim(rule, "x", 10));
    take(claim(rule, "y", 10));
    clock.advance(Duration.ofSeconds(62));
    ask(Mode.FORCE, claim(rule, "x", 10), claim(other, "x", 10), claim(rule, "y", 10));
    ask(Mode.FORCE, claim(rule, "x", 7));
    assertThat(take(claim(rule, "x", 1)).fits()).isFalse();
    Outcome reset = ask(Mode.REFUND, claim(rule, "x", Claim.MAX_COST))[0];
    assertThat(reset.fits()).isTrue();
    assertThat(reset.remaining()).isEqualTo(10);
    assertThat(reset.reset()).isZero();
    assertThat(take(claim(rule, "x", 10)).fits()).isTrue();
    assertThat(take(claim(rule, "x", 1)).fits()).isFalse();
    assertThat(take(claim(other, "x", 1)).fits()).as("under another rule").isFalse();
    assertThat(take(claim(rule, "y", 1)).fits()).as("another caller").isFalse();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void aResetUnderOtherNumbersIsOneToo(Algorithm algorithm) {
    Rule generous = rule("a", algorithm, 1000).build();
    Rule strict = rule("a", algorithm, 4).build();
    take(claim(generous, "x", 1000));
    ask(Mode.REFUND, claim(strict, "x", Claim.MAX_COST));
    assertThat(ask(Mode.PEEK, claim(generous, "x", 1))[0].remaining()).isEqualTo(1000);
  }

  @Test
  void aRefundGivesBackWhatHasNotDrained() {
    Rule rule = rule("a", Algorithms.TOKEN_BUCKET, 10).build();
    take(claim(rule, "x", 4));
    Claim held = claim(rule, "x", 6);
    long chargedAt = take(held).chargedAt(held);
    clock.advance(Duration.ofSeconds(36)); // 6 have drained: the first 4, and 2 that are held
    take(claim(rule, "x", 3));
    store.take(new Claim[] {held}, Mode.REFUND, chargedAt).join();
    assertThat(ask(Mode.PEEK, claim(rule, "x", 1))[0].remaining()).isEqualTo(7);
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void whatIsCharged_isSaid(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    Rule shadow = rule("b", algorithm, 3).shadow(true).build();
    Outcome[] taken = ask(Mode.TAKE, claim(rule, "x", 4), claim(shadow, "x", 4));
    assertThat(taken).extracting(Outcome::charged).containsExactly(true, false);
    Outcome[] refused = ask(Mode.TAKE, claim(rule, "y", 4), claim(rule, "x", 7));
    assertThat(refused).extracting(Outcome::charged).containsExactly(false, false);
    assertThat(ask(Mode.PEEK, claim(rule, "x", 1))[0].charged()).isFalse();
    assertThat(ask(Mode.FORCE, claim(rule, "x", 9))[0].charged()).isTrue();
    assertThat(ask(Mode.REFUND, claim(rule, "x", 1))[0].charged()).isFalse();
  }

  @Test
  void aRefundDoesNotReachIntoAnotherWindow() {
    Rule rule = rule("a", Algorithms.FIXED_WINDOW, 10).build();
    long chargedAt = take(claim(rule, "x", 10)).time();
    clock.advance(Duration.ofMinutes(1));
    take(claim(rule, "x", 10));
    store.take(new Claim[] {claim(rule, "x", 10)}, Mode.REFUND, chargedAt).join();
    assertThat(take(claim(rule, "x", 1)).fits()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void aLeaseIsGivenWhatFits(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    Outcome whole = ask(Mode.LEASE, claim(rule, "x", 7))[0];
    assertThat(whole.fits()).isTrue();
    assertThat(whole.remaining()).as("left").isEqualTo(3);
    Outcome part = ask(Mode.LEASE, claim(rule, "x", 7))[0];
    assertThat(part.fits()).isFalse();
    assertThat(part.remaining()).as("given").isEqualTo(3);
    Outcome none = ask(Mode.LEASE, claim(rule, "x", 7))[0];
    assertThat(none.fits()).isFalse();
    assertThat(none.remaining()).as("given").isZero();
    assertThat(none.pause()).as("until one fits").isPositive();
    assertThat(take(claim(rule, "x", 1)).fits()).isFalse();
  }

  @Test
  void leasesDoNotDependOnEachOther() {
    Rule wide = rule("wide", Algorithms.TOKEN_BUCKET, 10).build();
    Rule narrow = rule("narrow", Algorithms.FIXED_WINDOW, 1).build();
    Outcome[] given = ask(Mode.LEASE, claim(wide, "x", 4), claim(narrow, "x", 4));
    assertThat(fits(given)).containsExactly(true, false);
    assertThat(given[1].remaining()).isEqualTo(1);
    assertThat(ask(Mode.PEEK, claim(wide, "x", 1))[0].remaining()).isEqualTo(6);
  }

  @Test
  void whatWasUsedEarlierCountsInItsOwnWindow() {
    Rule fixed = rule("fixed", Algorithms.FIXED_WINDOW, 10).build();
    Rule log = rule("log", Algorithms.SLIDING_LOG, 10).build();
    Rule counter = rule("counter", Algorithms.SLIDING_COUNTER, 10).build();
    long then = take(claim(fixed, "x", 1)).time();
    clock.advance(Duration.ofMinutes(1));
    Claim[] late = {claim(fixed, "x", 4), claim(log, "x", 4), claim(counter, "x", 4)};
    Outcome[] after = store.take(late, Mode.FORCE, then).join();
    assertThat(after[0].remaining()).as("in the window that is over").isEqualTo(10);
    assertThat(after[1].remaining()).as("a period ago").isEqualTo(10);
    assertThat(after[2].remaining()).as("in the window before").isBetween(6L, 9L);
  }

  @Test
  void severalClaimsAreChargedAllOrNone() {
    Rule wide = rule("wide", Algorithms.TOKEN_BUCKET, 10).build();
    Rule narrow = rule("narrow", Algorithms.FIXED_WINDOW, 1).build();
    List<Claim[]> orders =
        List.of(
            new Claim[] {claim(wide, "x", 1), claim(narrow, "x", 1)},
            new Claim[] {claim(narrow, "x", 1), claim(wide, "x", 1)});
    assertThat(fits(ask(Mode.TAKE, orders.get(0)))).containsExactly(true, true);
    for (int i = 0; i < 20; i++) {
      assertThat(fits(ask(Mode.TAKE, orders.get(i % 2)))).contains(false);
    }
    assertThat(ask(Mode.PEEK, claim(wide, "x", 1))[0].remaining()).isEqualTo(9);
  }

  @Test
  void claimsOnOneKeyAreJudgedInTurn() {
    Rule rule = rule("a", Algorithms.TOKEN_BUCKET, 3).build();
    Claim two = claim(rule, "x", 2);
    assertThat(fits(ask(Mode.TAKE, two, two))).containsExactly(true, false);
    assertThat(ask(Mode.PEEK, two)[0].remaining()).as("nothing was taken").isEqualTo(3);
    Claim one = claim(rule, "x", 1);
    assertThat(fits(ask(Mode.TAKE, one, one, one))).containsExactly(true, true, true);
    assertThat(take(one).fits()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void claimsOnOneKeyAreEachHeldToTheirOwnLimit(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 5).build();
    long seed = History.seed();
    History history = new History(seed);
    for (int caller = 0; caller < 20; caller++) {
      long used = 0;
      for (int i = 0; i < 10; i++) {
        Claim[] claims = new Claim[1 + history.below(4)];
        long asked = 0;
        boolean fit = true;
        for (int k = 0; k < claims.length; k++) {
          Limit limit = rule.limit(new Rate(5L + 5L * history.below(4), Duration.ofMinutes(1)));
          claims[k] =
              Claim.of(limit, store.fingerprint().of("caller " + caller), 1 + history.below(2));
          asked += claims[k].cost();
          fit &= used + asked <= limit.most();
        }
        assertThat(!fits(ask(Mode.TAKE, claims)).contains(false))
            .as("-Dweir.seed=%d used %d %s", seed, used, List.of(claims))
            .isEqualTo(fit);
        used += fit ? asked : 0;
      }
    }
  }

  @Test
  void whereNothingIsPermittedNothingEverFits() {
    Rule rule = Rule.named("a").per("user").limit("0/minute").build();
    assertThat(take(claim(rule, "x", 1)).never()).isTrue();
    ask(Mode.FORCE, claim(rule, "x", 1));
    ask(Mode.REFUND, claim(rule, "x", 5));
    clock.advance(Duration.ofDays(1));
    Outcome o = take(claim(rule, "x", 1));
    assertThat(o.never()).isTrue();
    assertThat(o.remaining()).isZero();
    assertThat(o.reset()).isZero();
  }

  @Test
  void aShadowRuleNeverKeepsOthersFromCounting() {
    Rule shadow = rule("shadow", Algorithms.TOKEN_BUCKET, 1).shadow(true).build();
    Rule real = rule("real", Algorithms.TOKEN_BUCKET, 3).build();
    for (int i = 0; i < 3; i++) {
      Outcome[] o = ask(Mode.TAKE, claim(shadow, "x", 1), claim(real, "x", 1));
      assertThat(o[0].fits()).isEqualTo(i == 0);
      assertThat(o[1].fits()).isTrue();
      assertThat(o[1].remaining()).isEqualTo(2 - i);
    }
    assertThat(take(claim(real, "x", 1)).fits()).isFalse();
  }

  @Test
  void whatARefusedRequestAskedOfAShadowRuleIsNotCharged() {
    Rule shadow = rule("shadow", Algorithms.TOKEN_BUCKET, 5).shadow(true).build();
    Rule real = rule("real", Algorithms.TOKEN_BUCKET, 1).build();
    for (int i = 0; i < 4; i++) {
      ask(Mode.TAKE, claim(shadow, "x", 1), claim(real, "x", 1));
    }
    assertThat(ask(Mode.PEEK, claim(shadow, "x", 1))[0].remaining()).isEqualTo(4);
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void anEditKeepsTheCountersAndARaiseHelpsAtOnce(Algorithm algorithm) {
    take(claim(rule("a", algorithm, 10).build(), "x", 10));
    Rule raised = rule("a", algorithm, 1000).build();
    assertThat(ask(Mode.PEEK, claim(raised, "x", 1))[0].remaining()).isEqualTo(990);
    Rule lowered = rule("a", algorithm, 4).build();
    assertThat(take(claim(lowered, "x", 1)).fits()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void aClockThatStepsBackRefillsNothingAndSoonForgives(Algorithm algorithm) {
    Rule rule = rule("a", algorithm, 10).build();
    take(claim(rule, "x", 10));
    clock.advance(Duration.ofHours(-1));
    Outcome refused = take(claim(rule, "x", 1));
    assertThat(refused.fits()).isFalse();
    assertThat(refused.waitFor()).isLessThanOrEqualTo(2 * 60_000_000L);
    clock.advance(Duration.ofNanos(refused.waitFor() * 1000));
    assertThat(take(claim(rule, "x", 1)).fits()).isTrue();
  }

  @Test
  void nothingAskedIsNothingAnswered() {
    assertThat(ask(Mode.TAKE)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void manyThreadsGetExactlyTheLimitOfAFreshKey(Algorithm algorithm) throws Exception {
    Rule rule = rule("a", algorithm, 100).build();
    for (int round = 0; round < 10; round++) {
      Claim[] one = {claim(rule, "round " + round, 1)};
      assertThat(inParallel(16, 16, () -> store.take(one, Mode.TAKE).join()[0].fits()))
          .isEqualTo(100);
    }
  }

  @Test
  void manyThreadsOverSeveralKeysChargeAllOrNone() throws Exception {
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
              return !fits(store.take(claims, Mode.TAKE).join()).contains(false);
            });
    long leftOfX = ask(Mode.PEEK, claim(own, "x", 1))[0].remaining();
    long leftOfY = ask(Mode.PEEK, claim(own, "y", 1))[0].remaining();
    assertThat(admitted).isEqualTo(150);
    assertThat(100 - leftOfX + 100 - leftOfY).as("charged to callers").isEqualTo(150);
  }

  private static int inParallel(int threads, int each, Callable<Boolean> step) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Integer>> parts = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        parts.add(
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
      for (Future<Integer> part : parts) {
        sum += part.get();
      }
      return sum;
    } finally {
      pool.shutdownNow();
    }
  }

  private static RuleBuilder rule(String id, Algorithm algorithm, int permits) {
    return Rule.named(id).algorithm(algorithm).per("user").limit(permits + "/minute");
  }

  private Claim claim(Rule rule, String caller, long cost) {
    return Claim.of(rule.limits().get(0), store.fingerprint().of(caller), cost);
  }

  private Outcome take(Claim claim) {
    return ask(Mode.TAKE, claim)[0];
  }

  private Outcome[] ask(Mode mode, Claim... claims) {
    return store.take(claims, mode).join();
  }

  private static List<Boolean> fits(Outcome[] outcomes) {
    return Arrays.stream(outcomes).map(Outcome::fits).toList();
  }
}
