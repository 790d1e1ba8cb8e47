package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.rule.Consistency;
import io.weir.rule.LimitOverride;
import io.weir.rule.MissingAttributePolicy;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import io.weir.rule.RuleBuilder;
import io.weir.rule.Selector;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.RandomHistory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules of every shape, written and read back. */
class RulesRoundTripTest {
  private static final int RULES = 2500;

  private static final List<String> NAMES =
      List.of("user", "tier", "ip", "endpoint", "header.x-a", "yes", "1", "null", "-", ".", "_a");

  static List<String> values() {
    List<String> values =
        new ArrayList<>(
            List.of(
                "a",
                "yes",
                "No",
                "on",
                "true",
                "null",
                "~",
                "1",
                "-1",
                "1.5",
                "1e3",
                "0x1F",
                ".nan",
                ".inf",
                "2024-01-01",
                "12:30",
                "=",
                "<<",
                "*",
                "**",
                "a: b",
                "a #b",
                "#a",
                "- a",
                "-",
                "?",
                "? a",
                ":",
                "&a",
                "*a",
                "!a",
                "%a",
                "@a",
                "`a",
                "|",
                ">",
                "'",
                "''",
                "\"",
                "\\"));
    values.addAll(
        List.of(
            "[a]",
            "{a: b}",
            "a,b",
            "a]",
            "a}",
            " a",
            "a ",
            "  a  b  ",
            "a\nb",
            "\na",
            "a\r\n",
            "\t",
            "a\tb",
            "\u0000",
            "\u0007",
            "\u001b[31m",
            "\u007f",
            "\u0085a",
            "\u00a0",
            "\u2028a",
            "\u2029a",
            "\ufeffa",
            "\ufffe",
            "é",
            "😀",
            "a😀b",
            "\ud800",
            "\udc00a",
            "日本",
            "---",
            "...",
            "GET /v1/orders/**",
            "/",
            "a/b",
            "a//b",
            "100/minute",
            "50%",
            "x".repeat(3000)));
    return values.stream().filter(value -> !value.isBlank()).toList();
  }

  @ParameterizedTest
  @MethodSource("values")
  void anyText_survivesRoundTrip(String value) {
    Rule rule = Rule.named("api").match("x", value).limit("1/s").build();
    assertRoundTrip(List.of(rule), "");
    Rule among = Rule.named("api").match("x", value, "a", value).limit("1/s").build();
    assertRoundTrip(List.of(among), "");
  }

  @Test
  void anyRule_survivesRoundTrip() {
    long seed = RandomHistory.seed();
    System.out.println("round trip of " + RULES + " rules, seed " + seed);
    RandomHistory history = new RandomHistory(seed);
    List<Rule> rules = new ArrayList<>();
    while (rules.size() < RULES) {
      rules.add(rule(history, "r-" + rules.size()));
    }
    assertRoundTrip(rules, "seed " + seed);
    for (Rule rule : rules.subList(0, 200)) {
      assertThat(Rules.readOne("one", Rules.toYaml(rule))).isEqualTo(rule);
      assertThat(Rules.readOne("one", Rules.toJson(rule))).isEqualTo(rule);
    }
  }

  private static void assertRoundTrip(List<Rule> rules, String description) {
    String yaml = Rules.toYaml(rules);
    assertThat(Rules.read(yaml)).as("%s:\n%s", description, yaml).isEqualTo(rules);
    assertThat(Rules.toYaml(Rules.read(yaml))).as(description).isEqualTo(yaml);
    assertThat(Rules.read(Rules.toJson(rules))).as(description).isEqualTo(rules);
  }

  private static Rule rule(RandomHistory history, String id) {
    Algorithm algorithm = history.pick(Algorithms.all());
    RuleBuilder rule = history.rule(id, algorithm);
    List<Rate> rates = rule.build().rates();
    if (history.oneIn(8)) {
      return Rule.named(id)
          .action(history.pick(List.of(RuleAction.ALLOW, RuleAction.BLOCK)))
          .match(selector(history))
          .shadow(history.oneIn(2))
          .build();
    }
    rule.per(names(history).toArray(new String[0]))
        .missing(history.pick(List.of(MissingAttributePolicy.values())))
        .match(history.oneIn(3) ? Selector.ANY : selector(history))
        .durable(history.oneIn(2))
        .shadow(history.oneIn(2))
        .enabled(history.oneIn(2))
        .regions(regions(history))
        .consistency(
            history.pick(
                List.of(
                    Consistency.EXACT,
                    Consistency.LEASED,
                    Consistency.LOCAL,
                    Consistency.synced(Duration.ofNanos(1_000L * (1_000 + history.below(9999)))),
                    Consistency.synced(Duration.ofMillis(100)))))
        .overrides(overrides(history, algorithm, rates));
    StoreFailureFallback share = StoreFailureFallback.local(1 + history.below(100));
    StoreFailureFallback posture =
        history.pick(
            List.of(
                StoreFailureFallback.OPEN,
                StoreFailureFallback.CLOSED,
                share,
                StoreFailureFallback.local(10)));
    try {
      return rule.onStoreFailure(posture).build();
    } catch (IllegalArgumentException e) {
      // that share of the limit, or that of a region, is not exact
      return rule.onStoreFailure(StoreFailureFallback.OPEN).regions(Map.of()).build();
    }
  }

  private static LimitOverride[] overrides(
      RandomHistory history, Algorithm algorithm, List<Rate> rates) {
    LimitOverride[] overrides = new LimitOverride[history.below(4)];
    for (int i = 0; i < overrides.length; i++) {
      Rule other = history.rule("other", algorithm).coolDown(Duration.ZERO).build();
      overrides[i] =
          algorithm.hasCoolDown()
              ? new LimitOverride(selector(history), rates, 0)
              : new LimitOverride(selector(history), other.rates(), other.burst());
    }
    return overrides;
  }

  private static Selector selector(RandomHistory history) {
    Map<String, List<String>> patterns = new LinkedHashMap<>();
    for (int i = 0; i <= history.below(3); i++) {
      List<String> some = new ArrayList<>();
      for (int j = 0; j <= history.below(4); j++) {
        some.add(history.pick(values()));
      }
      patterns.put(history.pick(NAMES), some);
    }
    return Selector.of(patterns);
  }

  private static List<String> names(RandomHistory history) {
    List<String> names = new ArrayList<>();
    NAMES.forEach(
        name -> {
          if (names.size() < 8 && history.oneIn(4)) {
            names.add(name);
          }
        });
    return names;
  }

  private static Map<String, Integer> regions(RandomHistory history) {
    Map<String, Integer> regions = new LinkedHashMap<>();
    for (int i = 0; i < history.below(4); i++) {
      regions.put(history.pick(List.of("eu-west-1", "us", "1", "no", "-", "0-0")), 1 + i * 10);
    }
    return regions;
  }
}
