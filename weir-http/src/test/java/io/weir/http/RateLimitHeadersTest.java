package io.weir.http;

import static io.weir.http.Decisions.headers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.weir.Decision;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Fingerprint;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Ask;
import io.weir.store.Guard;
import io.weir.store.Remote;
import io.weir.store.StoreListener;
import io.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** I1 and I2: the header fields of every limited answer. */
class RateLimitHeadersTest {
  private static final long NOW = 1_767_225_600; // where the clock to turn begins

  @Test
  void anAdmittedRequestIsToldWhatIsLeft() {
    Decision d = new Decisions(rule("orders-per-user", "100/minute")).take(77);
    assertThat(headers(d))
        .containsExactly(
            entry("X-RateLimit-Limit", "100"),
            entry("X-RateLimit-Remaining", "23"),
            entry("X-RateLimit-Reset", "" + (NOW + 47)),
            entry("RateLimit-Policy", "\"orders-per-user\";q=100;w=60"),
            entry("RateLimit", "\"orders-per-user\";r=23;t=47"));
  }

  @Test
  void aRefusedOneIsToldWhenToComeAgain() {
    Decisions api = new Decisions(rule("api", "100/minute"));
    api.take(90);
    assertThat(headers(api.take(71)))
        .containsEntry("Retry-After", "37") // 61 permits at 5/3 a second: 36.6 s
        .containsEntry("X-RateLimit-Remaining", "10")
        .containsEntry("X-RateLimit-Reset", "" + (NOW + 54))
        .containsEntry("RateLimit", "\"api\";r=10;t=37");
  }

  @Test
  void ofSeveralDecisionsTheTightestBindsAndAllPoliciesAreTold() {
    Decision wide = new Decisions(rule("wide", "100/minute")).take(1);
    Decision narrow = new Decisions(rule("narrow", "10/minute")).take(1);
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
  void retryAfterIsRoundedUpAndNeverTooEarly(long micros, String told) {
    Decisions login =
        new Decisions(
            Rule.named("login").algorithm("sliding-log").per("user").limit("1/10s").build());
    login.take(1);
    login.clock.advance(Duration.ofNanos(1000 * micros));
    assertThat(headers(login.take(1))).containsEntry("Retry-After", told);
    login.clock.advance(Duration.ofSeconds(Long.parseLong(told)));
    assertThat(login.take(1).allowed()).isTrue();
  }

  @Test
  void whoWaitsAMomentIsToldASecond() {
    Decisions fast = new Decisions(rule("fast", "1000/second"));
    fast.take(1000);
    assertThat(headers(fast.take(1))).containsEntry("Retry-After", "1");
  }

  @Test
  void whatNeverFitsIsNotToldToComeAgain() {
    Decision never = new Decisions(rule("api", "100/minute")).take(101);
    assertThat(headers(never))
        .doesNotContainKey("Retry-After")
        .containsEntry("RateLimit", "\"api\";r=100;t=0");
  }

  @Test
  void theXFieldsSpeakOfTheTightestOfSeveralRules() {
    Decision d = new Decisions(rule("wide", "1000/hour"), rule("narrow", "5/minute")).take(1);
    assertThat(headers(d))
        .containsEntry("X-RateLimit-Limit", "5")
        .containsEntry("X-RateLimit-Remaining", "4")
        .containsEntry("RateLimit-Policy", "\"wide\";q=1000;w=3600, \"narrow\";q=5;w=60")
        .containsEntry("RateLimit", "\"wide\";r=999;t=4, \"narrow\";r=4;t=12");
  }

  @Test
  void eachLimitOfARuleIsAPolicyOfItsOwn() {
    Rule both = rule("both", "10/second", "1000/hour", "5000/36h");
    assertThat(headers(new Decisions(both, rule("one", "1/day")).take(1)))
        .containsEntry(
            "RateLimit-Policy",
            "\"both/second\";q=10;w=1, \"both/hour\";q=1000;w=3600, \"both/1d12h\";q=5000;w=129600, \"one\";q=1;w=86400")
        .containsEntry(
            "RateLimit",
            "\"both/second\";r=9;t=1, \"both/hour\";r=999;t=4, \"both/1d12h\";r=4999;t=26, \"one\";r=0;t=86400");
  }

  @Test
  void aBurstIsToldBesideTheRate() {
    Rule bursty = Rule.named("bursty").per("user").limit("10/minute").burst(50).build();
    assertThat(headers(new Decisions(bursty).take(1)))
        .containsEntry("X-RateLimit-Limit", "50")
        .containsEntry("RateLimit-Policy", "\"bursty\";q=10;w=60;weir-burst=50");
  }

  @Test
  void aWindowThatIsNoWholeSecondsIsNotTold() {
    assertThat(headers(new Decisions(rule("quick", "10/100ms")).take(1)))
        .containsEntry("RateLimit-Policy", "\"quick\";q=10");
    assertThat(headers(new Decisions(rule("odd", "10/1500ms")).take(1)))
        .containsEntry("RateLimit-Policy", "\"odd\";q=10");
  }

  @Test
  void shadowRulesAreNotToldOf() {
    Rule shadow = rule("shadow", "1/day").edit().shadow(true).build();
    Decisions both = new Decisions(shadow, rule("real", "5/minute"));
    both.take(1);
    Decision d = both.take(1);
    assertThat(d.shadowRefused()).isTrue();
    assertThat(headers(d).toString()).contains("real").doesNotContain("shadow");
    assertThat(headers(new Decisions(shadow).take(1))).isEmpty();
  }

  @Test
  void whereNoRuleMetItThereAreNoFields() {
    assertThat(headers(new Decisions(rule("other", "1/day").edit().per("ip").build()).take(1)))
        .isEmpty();
  }

  @Test
  void ofASilentStoreOnlyThePolicyIsTold() {
    assertThat(headers(degraded(Posture.OPEN)))
        .containsOnly(
            entry("X-RateLimit-Limit", "100"), entry("RateLimit-Policy", "\"api\";q=100;w=60"));
    assertThat(headers(degraded(Posture.CLOSED)))
        .containsOnly(
            entry("X-RateLimit-Limit", "100"),
            entry("RateLimit-Policy", "\"api\";q=100;w=60"),
            entry("Retry-After", "1"));
    assertThat(headers(degraded(Posture.local(10))))
        .containsEntry("X-RateLimit-Remaining", "9")
        .containsEntry("RateLimit", "\"api\";r=9;t=6");
    assertThat(headers(degraded(Posture.local(1))))
        .containsEntry("X-RateLimit-Remaining", "0")
        .containsEntry("RateLimit", "\"api\";r=0;t=60");
  }

  @Test
  void degradedDecision_hasNullForWhatIsLeftInJsonAndUnknownInText() {
    for (Posture posture : List.of(Posture.OPEN, Posture.CLOSED, Posture.local(10))) {
      Decision decision = degraded(posture);
      assertThat(DecisionJson.of(decision)).contains("\"degraded\":true", "\"remaining\":null");
      assertThat(decision.toString()).contains("unknown of 100 left");
    }
  }

  private static Decision degraded(Posture posture) {
    FakeClock clock = new FakeClock();
    Rule rule = rule("api", "100/minute").edit().onStoreFailure(posture).build();
    try (Guard guard =
        new Guard(clock, Duration.ofSeconds(1), 1, StoreListener.NONE, (micros, task) -> {})) {
      return Weir.limiter(RuleSet.of(rule))
          .store(guard.over(new Broken()))
          .build()
          .decideNow(Request.of("user", "42"));
    }
  }

  /** A store that fails whatever is asked. */
  private static final class Broken implements Remote {
    @Override
    public void ask(Ask ask) {
      throw new IllegalStateException("broken");
    }

    @Override
    public Fingerprint fingerprint() {
      return Fingerprint.random();
    }
  }

  private static Rule rule(String id, String... limits) {
    return Rule.named(id).per("user").limit(limits).build();
  }
}
