package io.weir.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.internal.Durations;
import io.weir.internal.rule.CompiledRule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleTest {

  @ParameterizedTest
  @CsvSource({
    "100/minute, 100, 60s",
    "100/min, 100, 60s",
    "10/m, 10, 60s",
    "10/second, 10, 1s",
    "10/s, 10, 1s",
    "1000/hour, 1000, 1h",
    "5/30s, 5, 30s",
    "5 / 1h30m, 5, 90m",
    "1/365d, 1, 365d",
    "7/250ms, 7, 250ms",
    "3/DAY, 3, 24h",
    "0/minute, 0, 1m",
  })
  void validRate_isParsed(String text, long permits, String period) {
    Rate rate = Rate.parse(text);
    assertThat(rate).isEqualTo(new Rate(permits, Durations.parse(period)));
    assertThat(Rate.parse(rate.toString())).as("formatted and parsed again").isEqualTo(rate);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "100",
        "/minute",
        "100/",
        "x/minute",
        "1.5/s",
        "1e3/s",
        "NaN/s",
        "Infinity/s",
        "-1/s",
        "9223372036854775808/s",
        "1e400/s",
        "10/fortnight",
        "10/0s",
        "10/-5s",
        "10/1.5s",
        "10/99999999999999999999s",
        "10/minute/hour",
        "10/999999999999999999d",
        "١/s",
        "５/s",
        "010/minute",
        "00/minute",
        "-0/minute",
        "-01/minute",
        "+5/minute",
        "1_000/minute",
        "0x10/minute",
        "5/0001m",
        "5/1h05m",
        "5/minute please"
      })
  void invalidRate_isRejected(String text) {
    assertThatThrownBy(() -> Rate.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .containsAnyOf("write", "must");
  }

  @Test
  void misspelledUnit_isQuotedInTheError() {
    assertThatThrownBy(() -> Rate.parse("3/minut"))
        .hasMessage(
            "'3/minut' is not a rate; write a whole number per a unit, such as 100/minute or 5/30s");
  }

  static Stream<Arguments> bad() {
    return Stream.of(
        bad("id", () -> rule("Has Blank").build()),
        bad("id", () -> rule("").build()),
        bad("id", () -> rule("a".repeat(65)).build()),
        bad("limit", () -> Rule.named("r").per("user").build()),
        bad("limit", () -> rule("r").limit("-1/s")),
        bad("burst", () -> rule("r").limit("0/s").burst(5).build()),
        bad("limit", () -> rule("r").limit("0/367d").build()),
        bad("limit", () -> rule("r").limit("10/s", "20/s").build()),
        bad("limit", () -> rule("r").limit("10000001/s").build()),
        bad("limit", () -> rule("r").limit("1/367d").build()),
        bad("limit", () -> rule("r").limit("9007199254740993/366d").build()),
        bad("limit", () -> rule("r").limit("999999999989/365d").build()),
        bad("limit", () -> rule("r").algorithm("sliding-log").limit("2001/day").build()),
        bad("burst", () -> rule("r").burst(0)),
        bad("burst", () -> rule("r").burst(-1)),
        bad("limit", () -> rule("r").burst(1_000_000_000_001L).build()),
        bad("limit", () -> rule("r").limit("1/365d").burst(1_000_000_000_000L).build()),
        bad("burst", () -> rule("r").algorithm("fixed-window").burst(5).build()),
        bad(
            "burst",
            () -> {
              LimitOverride large = new LimitOverride(acme("1/s").when(), acme("1/s").rates(), 5);
              rule("r").algorithm("fixed-window").overrides(large).build();
            }),
        bad("burst", () -> rule("r").limit("1/s", "10/m").burst(5).build()),
        bad("cool-down", () -> rule("r").coolDown(Duration.ofSeconds(1)).build()),
        bad(
            "limit",
            () -> rule("r").algorithm("fixed-window").coolDown(Duration.ofMinutes(1)).build()),
        bad("algorithm", () -> rule("r").algorithm("tokenbucket")),
        bad("per", () -> rule("r").per("user", "user").build()),
        bad("per", () -> rule("r").per("us er").build()),
        bad("regions", () -> rule("r").regions(Map.of("eu", 60, "us", 50)).build()),
        bad("regions", () -> rule("r").regions(Map.of("eu", 0)).build()),
        bad("regions", () -> rule("r").regions(Map.of("EU west", 10)).build()),
        bad("match", () -> rule("r").match("endpoint", "")),
        bad("match", () -> rule("r").match("endpoint")),
        bad("match", () -> rule("r").match("end point", "x")),
        bad("match", () -> rule("r").match("endpoint", "!")),
        bad("match", () -> rule("r").match("endpoint", "!/a**")),
        bad("match", () -> rule("r").match("endpoint", "/a**")));
  }

  @ParameterizedTest
  @MethodSource("bad")
  void invalidRule_isRejectedWithAReason(String field, ThrowingCallable construction) {
    assertThatThrownBy(construction)
        .isInstanceOfSatisfying(
            RuleException.class,
            e -> {
              assertThat(e.field()).isEqualTo(field);
              assertThat(e.getMessage()).startsWith("rule '" + e.rule() + "': " + field + ": ");
              assertThat(e.reason())
                  .containsAnyOf("must ", "write", "leave it out", "keep one", "use ");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "1/366d, token-bucket", "1/365d, leaky-bucket", "10000000/s, token-bucket",
    "10000000/s, sliding-counter", "9999991/s, token-bucket", "1234567/day, token-bucket",
    "1000000/day, sliding-counter", "864000000000/day, sliding-counter", "10000000/s, fixed-window"
  })
  void extremeRate_isAccepted(String rate, String algorithm) {
    assertThat(CompiledRule.of(Rule.named("r").algorithm(algorithm).limit(rate).build()).limits())
        .hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1000/s", "100000/s", "10000000/s"})
  void burstOfATrillion_isAccepted(String rate) {
    assertThat(
            CompiledRule.of(Rule.named("r").limit(rate).burst(1_000_000_000_000L).build())
                .limits()
                .get(0)
                .capacity())
        .isEqualTo(1_000_000_000_000L);
  }

  @Test
  void invalidValues_areRejected() {
    assertThatThrownBy(() -> Consistency.synced(Duration.ZERO)).hasMessageContaining("100ms");
    assertThatThrownBy(() -> new Consistency(Consistency.CountingMode.EXACT, Duration.ofMillis(5)))
        .hasMessageContaining("leave it out");
    assertThatThrownBy(() -> StoreFailureFallback.local(0))
        .hasMessageContaining("between 1% and 100%");
    assertThatThrownBy(() -> new StoreFailureFallback(StoreFailureFallback.FallbackAction.OPEN, 10))
        .hasMessageContaining("leave it out");
    assertThatThrownBy(() -> LimitOverride.of(Selector.ANY, "1/s")).hasMessageContaining("when:");
  }

  @Test
  void rulesWithSameContent_areEqual() {
    Rule rule = rule("r").match("tier", "free").overrides(acme("9/s")).build();
    assertThat(rule.edit().build()).isEqualTo(rule).hasSameHashCodeAs(rule);
    assertThat(rule.edit().shadow(true).build()).isNotEqualTo(rule);
    assertThat(rule.edit().regions(Map.of("eu", 50)).build()).isNotEqualTo(rule);
    assertThat(rule.edit().overrides(acme("8/s")).build()).isNotEqualTo(rule);
  }

  @Test
  void duplicateId_isRejected() {
    Rule rule = rule("twice").build();
    assertThatThrownBy(() -> RuleSet.of(rule, rule))
        .isInstanceOf(RuleException.class)
        .hasMessageContaining("rule 'twice': id");
  }

  @Test
  void invalidReplacement_keepsTheCurrentRules() {
    LiveRules live = new LiveRules(List.of(rule("good").build()));
    Rule twice = rule("bad").build();
    assertThatThrownBy(() -> live.replace(List.of(twice, twice))).hasMessageContaining("bad");
    assertThat(live.current().revision()).isEqualTo(1);
    assertThat(live.replace(List.of()).revision()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "s",
        "5 s",
        "1h 5",
        "-1s",
        "1.5s",
        "NaN",
        "99999999999999999d",
        "01s",
        "00s",
        "1h05m",
        "+1s",
        "1_0s",
        "１s"
      })
  void invalidDuration_isRejected(String text) {
    assertThatThrownBy(() -> Durations.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("such as 100ms");
  }

  @Test
  void formattedDuration_parsesToTheSame() {
    for (String text : List.of("1us", "100ms", "30s", "1h30m", "1d2h3m4s5ms6us", "0s")) {
      assertThat(Durations.format(Durations.parse(text))).isEqualTo(text);
    }
  }

  @Test
  void selector_requiresEveryNamedAttribute() {
    Selector selector = Selector.of(Map.of("tier", List.of("free", "trial"), "user", List.of("*")));
    assertThat(selector.matches(Map.of("tier", "trial", "user", "x")::get)).isTrue();
    assertThat(selector.matches(Map.of("tier", "trial")::get)).isFalse();
    assertThat(selector.matches(Map.of("tier", "pro", "user", "x")::get)).isFalse();
    assertThat(Selector.ANY.matches(name -> null)).isTrue();
  }

  private static LimitOverride acme(String rate) {
    return LimitOverride.of(Selector.of("user", "acme"), rate);
  }

  private static RuleBuilder rule(String id) {
    return Rule.named(id).per("user").limit("10/minute");
  }

  private static Arguments bad(String field, ThrowingCallable construction) {
    return Arguments.of(field, construction);
  }
}
