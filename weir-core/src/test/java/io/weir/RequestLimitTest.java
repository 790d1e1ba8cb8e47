package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.rule.LimitOverride;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.Selector;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of requests that have a limit of their own. */
class RequestLimitTest {
  private final AtomicLong now = new AtomicLong(1_767_225_600_000_000L);

  @Test
  void requestLimit_replacesTheRulesLimits() {
    Rule several =
        Rule.named("api")
            .per("user")
            .limit("1/second", "2/minute")
            .overrides(LimitOverride.of(Selector.of("user", "x"), "3/minute"))
            .build();
    Limiter limiter = limiter(several);
    Decision d = limiter.decideNow(user("x").limit(Rate.parse("50/hour")));
    assertThat(d.limit()).isEqualTo(50);
    assertThat(d.remaining()).isEqualTo(49);
    assertThat(d.rule()).contains("api");
    assertThat(limiter.decideNow(user("x")).remaining()).as("another counter").isEqualTo(2);
  }

  @Test
  void requestLimitOfSamePeriod_sharesTheRulesCounter() {
    Limiter limiter = limiter(rule("api", "10/minute"));
    limiter.decideNow(user("x").cost(10));
    assertThat(limiter.decideNow(user("x")).allowed()).isFalse();
    Decision d = limiter.decideNow(user("x").limit(Rate.parse("15/minute")));
    assertThat(d.allowed()).isTrue();
    assertThat(d.remaining()).isEqualTo(4);
    assertThat(limiter.decideNow(user("x").limit(Rate.parse("11/minute"))).allowed()).isFalse();
  }

  @Test
  void requestLimit_appliesToEveryMatchingRule() {
    Limiter limiter = limiter(rule("a", "1/minute"), rule("b", "100/minute"));
    Request request = user("x").cost(5).limit(Rate.parse("5/hour"));
    Decision d = limiter.decideNow(request);
    assertThat(d.allowed()).isTrue();
    assertThat(d.rules()).extracting("rule").containsExactly("a", "b");
    assertThat(d.rules()).extracting("limit").containsExactly(5L, 5L);
    assertThat(limiter.decideNow(request).allowed()).isFalse();
  }

  @Test
  void requestLimitWithoutMatchingRule_countsPerAllAttributes() {
    Limiter limiter = limiter(rule("other", "1/minute").edit().per("ip").build());
    Rate two = Rate.parse("2/minute");
    for (int i = 0; i < 2; i++) {
      assertThat(decide(limiter, two, "user", "x", "path", "/a").allowed()).isTrue();
    }
    Decision refused = decide(limiter, two, "path", "/a", "user", "x");
    assertThat(refused.allowed()).as("in any order of the attributes").isFalse();
    assertThat(refused.rule()).contains("request-limit");
    assertThat(decide(limiter, two, "user", "x").remaining()).isEqualTo(1);
    assertThat(decide(limiter, two, "user", "x", "path", "/b").remaining()).isEqualTo(1);
    assertThat(decide(limiter, two, "path", "x", "user", "/a").remaining()).isEqualTo(1);
    assertThat(decide(limiter, two, "user", "1:x", "p", "").remaining()).isEqualTo(1);
    assertThat(decide(limiter, two, "user", "1:x1:p0:").remaining()).isEqualTo(1);
    assertThat(limiter.decideNow(Request.of("user", "x", "path", "/a")).rules()).isEmpty();
  }

  @Test
  void requestLimitOnShadowRule_isEnforced() {
    Limiter limiter = limiter(rule("api", "100/minute").edit().shadow(true).build());
    Request request = user("x").limit(Rate.parse("1/minute"));
    limiter.decideNow(request);
    Decision d = limiter.decideNow(request);
    assertThat(d.allowed()).isFalse();
    assertThat(d.shadowRefused()).isFalse();
    for (int i = 0; i < 200; i++) {
      assertThat(limiter.decideNow(user("x")).allowed()).as("the rule itself").isTrue();
    }
  }

  @Test
  void requestLimitOfZero_refusesEverything() {
    Limiter limiter = limiter(rule("api", "100/minute"));
    Decision d = limiter.decideNow(user("x").limit(Rate.parse("0/minute")));
    assertThat(d.allowed()).isFalse();
    assertThat(d.costExceedsLimit()).isTrue();
    assertThat(d.limit()).isZero();
    assertThat(decide(limiter, Rate.parse("0/day"), "ip", "1").costExceedsLimit()).isTrue();
    assertThat(limiter.decideNow(user("x")).remaining()).isEqualTo(99);
  }

  @Test
  void severalRequests_useTheirOwnLimits() {
    Limiter limiter = limiter(rule("api", "2/minute"));
    Request own = user("x").limit(Rate.parse("4/minute"));
    assertThat(limiter.executeAll(List.of(user("x"), own, own), StoreOperation.TAKE).join())
        .extracting(Decision::allowed)
        .containsExactly(true, true, true);
    assertThat(limiter.executeAll(List.of(own, user("x")), StoreOperation.TAKE).join())
        .extracting(Decision::allowed)
        .containsExactly(true, false);
  }

  @ParameterizedTest
  @CsvSource({
    "sliding-log, 1000000/day, fixed-window",
    "token-bucket, 999999999989/365d, fixed-window",
    "token-bucket, 0/day, fixed-window",
    "sliding-counter, 100/day, sliding-counter",
  })
  void unsupportedRequestLimit_fallsBackToFixedWindow(
      String algorithm, String rate, String counted) {
    Rule rule = Rule.named("api").per("user").algorithm(algorithm).limit("10/minute").build();
    Limit limit = CompiledRule.of(rule).limit(Rate.parse(rate));
    assertThat(limit.algorithm().name()).isEqualTo(counted);
    assertThat(limiter(rule).decideNow(user("x").limit(Rate.parse(rate))).limit())
        .isEqualTo(limit.capacity());
  }

  @Test
  void coolDownLongerThanThePeriod_isDropped() {
    Rule rule =
        Rule.named("api")
            .per("user")
            .algorithm("fixed-window")
            .limit("10/minute")
            .coolDown(Duration.ofSeconds(5))
            .build();
    assertThat(CompiledRule.of(rule).limit(Rate.parse("1/second")).parameters().coolDownMicros())
        .isZero();
    assertThat(CompiledRule.of(rule).limit(Rate.parse("1/hour")).parameters().coolDownMicros())
        .isEqualTo(5_000_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10000001/second", "1/367d", "0/367d", "1000000000001/366d"})
  void invalidRequestLimit_isRejected(String rate) {
    assertThatThrownBy(() -> user("x").limit(Rate.parse(rate)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(Rate.parse(rate).toString())
        .hasMessageContaining("must");
  }

  @Test
  void manyDistinctRequestLimits_areCountedCorrectly() {
    Rule rule = rule("api", "10/minute");
    Limiter limiter = limiter(rule);
    for (int i = 1; i <= 1000; i++) {
      assertThat(limiter.decideNow(user("u" + i).limit(new Rate(i, Duration.ofMinutes(1)))))
          .extracting(Decision::limit)
          .isEqualTo((long) i);
    }
    Rate first = Rate.parse("1/minute");
    assertThat(CompiledRule.of(rule).limit(first))
        .as("cached")
        .isSameAs(CompiledRule.of(rule).limit(first));
  }

  @Test
  void requestLimit_isPartOfEqualityAndToString() {
    Rate rate = Rate.parse("5/minute");
    Request request = user("x").limit(rate).cost(3);
    assertThat(request.limit()).isEqualTo(rate);
    assertThat(request.cost()).isEqualTo(3);
    assertThat(request).isEqualTo(user("x").cost(3).limit(rate)).isNotEqualTo(user("x").cost(3));
    assertThat(request).hasSameHashCodeAs(user("x").cost(3).limit(rate));
    assertThat(request).hasToString("{user=x} cost 3 limit 5/minute");
  }

  private static Decision decide(Limiter limiter, Rate rate, String... pairs) {
    return limiter.decideNow(Request.of(pairs).limit(rate));
  }

  private Limiter limiter(Rule... rules) {
    return Weir.limiter(RuleSet.of(rules)).clock(now::get).build();
  }

  private static Rule rule(String id, String limit) {
    return Rule.named(id).per("user").limit(limit).build();
  }

  private static Request user(String id) {
    return Request.of("user", id);
  }
}
