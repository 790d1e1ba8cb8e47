package io.weir.testkit;

import static io.weir.testkit.DecisionAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleSet;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The worked examples A1 to A5 of the requirements. */
class WorkedExamplesTest {
  private final FakeClock clock = new FakeClock(Instant.parse("2026-01-01T12:00:00Z"));

  @Test
  void tokenBucket_refillsAtItsRate() {
    Limiter limiter = limiter(Rule.named("a1").limit("1/second").burst(10));
    assertThat(take(limiter, 8)).isAllowed().hasRemaining(2);
    clock.advance(Duration.ofSeconds(3));
    assertThat(peek(limiter)).hasRemaining(5);
    assertThat(take(limiter, 3)).isAllowed().hasRemaining(2);
    clock.advance(Duration.ofSeconds(2));
    assertThat(take(limiter, 6)).isRefused().hasRemaining(4).retriesAfter(Duration.ofSeconds(2));
    assertThat(peek(limiter)).hasRemaining(4);
  }

  @Test
  void leakyBucketQueueOfThree_delaysThreeAndRefusesRest() {
    Limiter limiter =
        limiter(Rule.named("a2").algorithm("leaky-bucket").limit("1/second").burst(3));
    for (int i = 0; i < 3; i++) {
      assertThat(take(limiter, 1)).isAllowed().isDelayedBy(Duration.ofSeconds(i));
    }
    assertThat(take(limiter, 1)).isRefused();
    assertThat(take(limiter, 1)).isRefused();
  }

  @Test
  void leakyBucketQueueOfTen_admitsTenOfFifteen() {
    Limiter limiter =
        limiter(Rule.named("a2").algorithm("leaky-bucket").limit("5/second").burst(10));
    assertThat(admitted(limiter, 15)).isEqualTo(10);
  }

  @Test
  void fixedWindowBoundary_admitsTwiceTheLimit() {
    Limiter limiter = limiter(window());
    clock.advance(Duration.ofSeconds(59));
    assertThat(admitted(limiter, 101)).isEqualTo(100);
    clock.advance(Duration.ofSeconds(1));
    assertThat(admitted(limiter, 101)).isEqualTo(100);
  }

  @Test
  void coolDown_separatesBurstsAtWindowBoundary() {
    Limiter limiter = limiter(window().coolDown(Duration.ofSeconds(10)));
    clock.advance(Duration.ofSeconds(59));
    assertThat(admitted(limiter, 80)).isEqualTo(80);
    clock.advance(Duration.ofSeconds(1));
    assertThat(admitted(limiter, 100)).as("the rest of the used window").isEqualTo(20);
    assertThat(take(limiter, 1)).isRefused().retriesAfter(Duration.ofSeconds(10));
    clock.advance(Duration.ofSeconds(10));
    assertThat(admitted(limiter, 101)).isEqualTo(100);
  }

  @Test
  void coolDown_neverRefusesUnusedCaller() {
    Limiter limiter = limiter(window().coolDown(Duration.ofSeconds(10)));
    assertThat(admitted(limiter, 101)).isEqualTo(100);
  }

  @Test
  void slidingLog_limitsEveryTrailingWindow() {
    Limiter limiter = limiter(Rule.named("a4").algorithm("sliding-log").limit("3/minute"));
    assertThat(take(limiter, 1)).isAllowed();
    clock.advance(Duration.ofSeconds(30));
    assertThat(take(limiter, 2)).isAllowed();
    assertThat(take(limiter, 1)).isRefused().retriesAfter(Duration.ofSeconds(30));
    clock.advance(Duration.ofSeconds(30));
    assertThat(take(limiter, 1)).isAllowed();
    assertThat(take(limiter, 1)).isRefused().retriesAfter(Duration.ofSeconds(30));
  }

  @Test
  void slidingLogInDebt_dropsOldestCharges() {
    Limiter limiter = limiter(Rule.named("a4").algorithm("sliding-log").limit("3/minute"));
    limiter.charge(Request.of().cost(6)).join();
    clock.advance(Duration.ofSeconds(30));
    limiter.charge(Request.of().cost(3)).join();
    clock.advance(Duration.ofSeconds(30));
    assertThat(take(limiter, 1)).isRefused().retriesAfter(Duration.ofSeconds(30));
    clock.advance(Duration.ofSeconds(30));
    assertThat(peek(limiter)).hasRemaining(3);
  }

  @Test
  void slidingCounter84And36At15Seconds_estimates99() {
    Limiter limiter = slidingCounter(84, 36, 15);
    assertThat(peek(limiter)).isAllowed().hasRemaining(1);
    assertThat(take(limiter, 1)).isAllowed();
    assertThat(take(limiter, 1)).isRefused();
  }

  @Test
  void slidingCounter85And40At15Seconds_estimates103() {
    // forced: 40 beside a weight of 63.75 would not all have been admitted
    Limiter limiter = limiter(Rule.named("a5").algorithm("sliding-counter").limit("100/minute"));
    assertThat(take(limiter, 85)).isAllowed();
    clock.advance(Duration.ofSeconds(75));
    limiter.charge(Request.of().cost(40)).join();
    assertThat(peek(limiter)).isRefused().hasRemaining(0);
    assertThat(take(limiter, 1)).isRefused();
    assertThat(peek(limiter).retryAfter()).isEqualTo(Duration.ofNanos(3_352_942_000L));
  }

  @Test
  void slidingCounter80And30At45Seconds_estimates50() {
    assertThat(peek(slidingCounter(80, 30, 45))).hasRemaining(50);
  }

  private static RuleBuilder window() {
    return Rule.named("a3").algorithm("fixed-window").limit("100/minute");
  }

  private Limiter slidingCounter(int before, int used, int seconds) {
    Limiter limiter = limiter(Rule.named("a5").algorithm("sliding-counter").limit("100/minute"));
    assertThat(take(limiter, before)).isAllowed();
    clock.advance(Duration.ofSeconds(60 + seconds));
    assertThat(take(limiter, used)).isAllowed();
    return limiter;
  }

  private Limiter limiter(RuleBuilder rule) {
    return Weir.limiter(RuleSet.of(rule.build())).clock(clock).build();
  }

  private static Decision take(Limiter limiter, long cost) {
    return limiter.decideNow(Request.of().cost(cost));
  }

  private static Decision peek(Limiter limiter) {
    return limiter.peek(Request.of()).join();
  }

  private static int admitted(Limiter limiter, int requests) {
    int admitted = 0;
    for (int i = 0; i < requests; i++) {
      admitted += take(limiter, 1).allowed() ? 1 : 0;
    }
    return admitted;
  }
}
