package io.weir.rules.lint;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Rules;
import io.weir.rules.lint.RuleLint.LintWarning;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleLintTest {

  private static List<LintWarning> lint(String rules) {
    return RuleLint.check(Rules.read("rules: [" + rules + "]"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "on-store-failure: closed|refuses everyone while the store is unavailable",
        "per: [user], on-store-failure: closed|refuses everyone while the store is unavailable",
        "algorithm: sliding-log, limit: 1000/hour|stores up to 1000 charges per caller",
        "algorithm: sliding-log, overrides: [{when: {user: x}, limit: 1999/day}]|stores up to 1999",
        "consistency: synced, sync-every: 400ms|refuses some requests within the limit, since a bucket that fills in 1000 ms syncs every 400 ms",
        "consistency: synced, burst: 1|refuses some requests within the limit, since a bucket that fills in 200 ms syncs every 100 ms",
        "durable: true, consistency: local|is durable, but counts in the memory of each node",
        "overrides: [{when: {tier: [a, b]}, limit: 1/s}, {when: {user: x, tier: b}, limit: 2/s}]|its override for {user=[x], tier=[b]} never applies, since the one for {tier=[a, b]}",
        "overrides: [{when: {user: x-*}, limit: 1/s}, {when: {user: x-7}, limit: 2/s}]|its override for {user=[x-7]} never",
      })
  void questionableRule_isWarning(String fields, String warning) {
    String limit = fields.contains(", limit: 1000") ? "" : ", limit: 5/s";
    assertThat(lint("{id: api, " + fields + limit + "}"))
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.rule()).isEqualTo("api");
              assertThat(found.text()).startsWith(warning);
              assertThat(found).hasToString("api: " + found.text() + "; " + found.help());
            });
    assertThat(lint("{id: api, enabled: false, " + fields + limit + "}")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "match: {endpoint: POST /login}, on-store-failure: closed",
        "shadow: true, on-store-failure: closed",
        "on-store-failure: local",
        "algorithm: sliding-log",
        "durable: true",
        "consistency: synced, sync-every: 250ms",
        "consistency: synced, sync-every: 900ms, algorithm: fixed-window",
        "overrides: [{when: {user: x, tier: b}, limit: 1/s}, {when: {tier: b}, limit: 2/s}]",
        "overrides: [{when: {user: x-1}, limit: 1/s}, {when: {user: x-*}, limit: 2/s}]",
        "overrides: [{when: {user: x-*}, limit: 1/s}, {when: {user: x-a*}, limit: 2/s}]",
        "overrides: [{when: {user: [a, b]}, limit: 1/s}, {when: {user: [b, c]}, limit: 2/s}]",
        "overrides: [{when: {user: a}, limit: 1/s}, {when: {tier: a}, limit: 2/s}]",
      })
  void ordinaryRule_hasNoWarning(String fields) {
    assertThat(lint("{id: api, limit: 5/s, " + fields + "}")).isEmpty();
  }

  @Test
  void redundantRule_isWarning() {
    String a = "{id: a, per: [user], limit: 5/s}";
    assertThat(lint(a + ", {id: b, per: [user], limit: 9/s}"))
        .containsExactly(
            new LintWarning(
                "b",
                "has no effect, since a counts the same requests and allows no more",
                "delete one of them"));
    assertThat(lint("{id: b, per: [user], limit: 9/s}, " + a))
        .extracting(LintWarning::rule)
        .containsExactly("b");
    assertThat(lint(a + ", {id: b, per: [user], limit: 5/s}"))
        .extracting(LintWarning::rule)
        .containsExactly("b");
    assertThat(lint(a + ", {id: b, per: [user], limit: [6/s, 100/h]}")).isEmpty();
    for (String other :
        List.of(
            "limit: 9/m",
            "limit: 9/s, shadow: true",
            "limit: 9/s, match: {tier: x}",
            "limit: 9/s, burst: 1",
            "limit: 9/s, algorithm: leaky-bucket",
            "limit: 9/s, on-store-failure: local",
            "limit: 9/s, overrides: [{when: {user: x}, limit: 1/s}]")) {
      assertThat(lint(a + ", {id: b, per: [user], " + other + "}")).as(other).isEmpty();
    }
  }

  @Test
  @Timeout(60)
  void tenThousandRules_areCheckedQuickly() {
    String many =
        IntStream.range(0, 10_000)
            .mapToObj(i -> "{id: r" + i + ", match: {user: u" + i + "}, limit: 5/s}")
            .collect(Collectors.joining(","));
    assertThat(lint(many)).isEmpty();
  }
}
