package io.weir.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRuleSet;
import io.weir.internal.rule.Fingerprint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

class RuleSetTest {
  private static final Fingerprint FINGERPRINT = Fingerprint.random();

  @Test
  void claims_followRuleOrder() {
    RuleSet rules =
        RuleSet.of(
            rule("by-tier").match("tier", "free", "trial").build(),
            rule("everyone").build(),
            rule("orders").match("endpoint", "GET /v1/orders/**").build(),
            rule("off").enabled(false).build(),
            rule("by-ip").per("ip").build(),
            rule("both").match("endpoint", "GET /v1/**").match("tier", "pro").build(),
            rule("global").per().build());
    assertThat(matchingRules(rules, "user", "1", "tier", "free", "endpoint", "GET /v1/orders/7"))
        .containsExactly("by-tier", "everyone", "orders", "global");
    assertThat(matchingRules(rules, "user", "1", "tier", "pro", "endpoint", "GET /v1/orders"))
        .containsExactly("everyone", "orders", "both", "global");
    assertThat(matchingRules(rules, "ip", "10.0.0.1"))
        .as("by address")
        .containsExactly("everyone", "by-ip", "global");
    assertThat(matchingRules(rules)).containsExactly("global");
  }

  @Test
  void negatedPatterns_doNotMatch() {
    RuleSet rules =
        RuleSet.of(
            rule("not-acme").match("user", "!acme").build(),
            rule("a-but-not-ab").match("user", "a*", "!ab*").build(),
            rule("neither").match("user", "!acme", "!ab").match("tier", "!free").build(),
            rule("matches-none").match("user", "x", "!x").build(),
            rule("elsewhere").match("path", "/**", "!/admin/**").build());
    assertThat(matchingRules(rules, "user", "x")).containsExactly("not-acme");
    assertThat(matchingRules(rules, "user", "acme")).containsExactly("a-but-not-ab");
    assertThat(matchingRules(rules, "user", "ab", "tier", "pro")).containsExactly("not-acme");
    assertThat(matchingRules(rules, "user", "ac", "tier", "pro"))
        .containsExactly("not-acme", "a-but-not-ab", "neither");
    assertThat(matchingRules(rules, "user", "ac", "tier", "free"))
        .containsExactly("not-acme", "a-but-not-ab");
    assertThat(matchingRules(rules, "user", "", "path", "/x"))
        .containsExactly("not-acme", "elsewhere");
    assertThat(matchingRules(rules, "user", "acme", "path", "/admin/x"))
        .containsExactly("a-but-not-ab");
    assertThat(matchingRules(rules, "tier", "pro"))
        .as("the excluded attribute must be present")
        .isEmpty();
  }

  @Test
  void index_equalsLinearSearch() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    String[] names = {"endpoint", "tier", "user"};
    String[] patterns = {"a", "b", "a/*", "a/**", "*", "**", "a/b", "*/b", "!a", "!a/**", "!*"};
    String[] values = {"a", "b", "a/b", "a/b/c", "c", ""};
    List<Rule> all = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      RuleBuilder rule = rule("r" + i).per();
      for (String name : names) {
        if (random.nextInt(3) > 0) {
          int last = patterns.length;
          rule.match(name, patterns[random.nextInt(last)], patterns[random.nextInt(last)]);
        }
      }
      all.add(rule.build());
    }
    RuleSet rules = RuleSet.of(1, all);
    for (int n = 0; n < 2000; n++) {
      Map<String, String> request = new HashMap<>();
      for (String name : names) {
        if (random.nextInt(4) > 0) {
          request.put(name, values[random.nextInt(values.length)]);
        }
      }
      List<String> expected =
          all.stream().filter(r -> r.match().matches(request::get)).map(Rule::id).toList();
      assertThat(matchingRules(rules, request))
          .as("seed %d: %s", seed, request)
          .isEqualTo(expected);
    }
  }

  @Test
  void severalOverrides_firstMatchApplies() {
    Rule rule =
        rule("api")
            .overrides(
                LimitOverride.of(Selector.of("user", "acme"), "6000/minute"),
                LimitOverride.of(Selector.of("tier", "pro"), "600/minute", "5000/hour"))
            .build();
    RuleSet rules = RuleSet.of(rule);
    assertThat(limits(rules, "user", "x")).containsExactly("10/minute");
    assertThat(limits(rules, "user", "acme", "tier", "pro")).containsExactly("6000/minute");
    assertThat(limits(rules, "user", "x", "tier", "pro"))
        .containsExactly("600/minute", "5000/hour");
  }

  @Test
  void key_dependsOnRuleAlgorithmPeriodAndCallerOnly() {
    Set<Long> keys = new HashSet<>();
    keys.add(key(rule("api").build(), "1"));
    keys.add(key(rule("api2").build(), "1"));
    keys.add(key(rule("api").algorithm("fixed-window").build(), "1"));
    keys.add(key(rule("api").limit("10/hour").build(), "1"));
    keys.add(key(rule("api").build(), "2"));
    assertThat(keys).hasSize(5);
    assertThat(key(rule("api").limit("99/minute").burst(5).shadow(true).build(), "1"))
        .isEqualTo(key(rule("api").build(), "1"));
  }

  @Test
  void keysOfOneCaller_shareTheirUpperBits() {
    assertThat(key(rule("a").build(), "1") >>> 48).isEqualTo(key(rule("b").build(), "1") >>> 48);
  }

  @Test
  void tuplesWithEqualConcatenation_haveDistinctKeys() {
    Rule pair = rule("pair").per("a", "b").build();
    Set<Long> keys = new HashSet<>();
    List<String> parts =
        List.of(
            "",
            ":",
            "::",
            "{",
            "}",
            "{}",
            " ",
            "\0",
            "\0\0",
            "\n",
            "a",
            "aa",
            "aaa",
            "aaaa",
            "b",
            "😀",
            "\ud83d",
            "ab",
            "a:b",
            "x".repeat(10_000),
            "x".repeat(10_001));
    for (String a : parts) {
      for (String b : parts) {
        keys.add(claims(RuleSet.of(pair), Map.of("a", a, "b", b))[0].key());
      }
    }
    assertThat(keys).hasSize(parts.size() * parts.size());
  }

  @Test
  void fingerprints_areUniformAndDependOnTheSeed() {
    int[] bySegment = new int[256];
    for (int i = 0; i < 256_000; i++) {
      bySegment[(int) (FINGERPRINT.of("user-" + i) >>> 56)]++;
    }
    assertThat(Arrays.stream(bySegment).min().getAsInt()).isGreaterThan(800);
    assertThat(Arrays.stream(bySegment).max().getAsInt()).isLessThan(1200);
    assertThat(Fingerprint.random().of("x")).isNotEqualTo(Fingerprint.random().of("x"));
  }

  private static long key(Rule rule, String user) {
    return claims(RuleSet.of(rule), Map.of("user", user))[0].key();
  }

  private static Claim[] claims(RuleSet rules, Map<String, String> request) {
    return CompiledRuleSet.of(rules).claims(request::get, FINGERPRINT, 1);
  }

  private static List<String> matchingRules(RuleSet rules, Map<String, String> request) {
    return Arrays.stream(claims(rules, request)).map(c -> c.limit().rule().id()).toList();
  }

  private static List<String> matchingRules(RuleSet rules, String... pairs) {
    return matchingRules(rules, map(pairs));
  }

  private static List<String> limits(RuleSet rules, String... pairs) {
    return Arrays.stream(claims(rules, map(pairs))).map(c -> c.limit().rate().toString()).toList();
  }

  private static Map<String, String> map(String... pairs) {
    Map<String, String> map = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return map;
  }

  private static RuleBuilder rule(String id) {
    return Rule.named(id).per("user").limit("10/minute");
  }
}
