package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.weir.rule.Rule;
import io.weir.rules.RulesDiff.ChangedField;
import io.weir.rules.RulesDiff.ChangedRule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RulesDiffTest {

  private static List<Rule> rules(String text) {
    return Rules.read("rules: [" + text + "]");
  }

  private static List<ChangedField> fields(String before, String after) {
    RulesDiff diff =
        RulesDiff.between(rules("{id: api, " + before + "}"), rules("{id: api, " + after + "}"));
    return diff.changedRules().get(0).fields();
  }

  @Test
  void addedRemovedChangedAndUnchangedRules_areReported() {
    RulesDiff diff =
        RulesDiff.between(
            rules("{id: gone, limit: 1/s}, {id: same, limit: 1/s}, {id: api, limit: 1/s}"),
            rules(
                "{id: new, per: [ip], limit: 1/s}, {id: api, limit: 2/s}, {id: same, limit: 1/s}"));
    assertThat(diff.unchangedCount()).isEqualTo(1);
    assertThat(diff.isEmpty()).isFalse();
    assertThat(diff.changedRules())
        .extracting(ChangedRule::id, c -> c.before().isPresent(), c -> c.after().isPresent())
        .containsExactly(
            tuple("new", false, true), tuple("api", true, true), tuple("gone", true, false));
    assertThat(diff.changedRules().get(0).fields())
        .containsExactly(
            new ChangedField("per", "", "[ip]"), new ChangedField("limit", "", "1/second"));
    assertThat(diff.changedRules().get(1).fields())
        .containsExactly(new ChangedField("limit", "1/second", "2/second"));
    assertThat(diff.changedRules().get(2).fields())
        .containsExactly(new ChangedField("limit", "1/second", ""));
  }

  @Test
  void differentOrder_isNoDifference() {
    String one = "{id: a, limit: 1/s, match: {tier: free, user: x}}";
    String other = "{id: a, limit: 1/s, match: {user: x, tier: free}}";
    String more = "{id: b, limit: 1/s}";
    RulesDiff diff = RulesDiff.between(rules(one + "," + more), rules(more + "," + other));
    assertThat(diff.isEmpty()).isTrue();
    assertThat(diff.unchangedCount()).isEqualTo(2);
    assertThat(
            RulesDiff.between(rules(one), rules(other.replace("1/s", "2/s")))
                .changedRules()
                .get(0)
                .fields())
        .extracting(ChangedField::name)
        .containsExactly("limit");
  }

  /** Each field added to a rule without it, and its default. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "match: {tier: [a, b]}|match|everyone|{tier: [a, b]}",
        "per: [user, ip]|per|[]|[user, ip]",
        "algorithm: sliding-log|algorithm|token-bucket|sliding-log",
        "burst: 9|burst|the limit|9",
        "consistency: leased|consistency|exact|leased",
        "on-store-failure: closed|on-store-failure|open|closed",
        "regions: {eu: 50%}|regions|none|{eu: 50%}",
        "'overrides: [{when: {user: x}, limit: 2/s}]'|overrides|none|'[{when: {user: x}, limit: 2/second}]'",
        "durable: true|durable|false|true",
        "shadow: true|shadow|false|true",
        "enabled: false|enabled|true|false",
      })
  void omittedField_isShownAsItsDefault(String added, String name, String before, String after) {
    ChangedField field = new ChangedField(name, before, after);
    assertThat(fields("limit: 1/s", "limit: 1/s, " + added)).containsExactly(field);
    assertThat(fields("limit: 1/s, " + added, "limit: 1/s"))
        .containsExactly(new ChangedField(name, after, before));
  }

  @Test
  void dependentFields_showTheirDefaults() {
    String synced = "limit: 1/s, consistency: synced";
    assertThat(fields(synced, synced + ", sync-every: 250ms"))
        .containsExactly(new ChangedField("sync-every", "100ms", "250ms"));
    assertThat(fields("limit: 1/s", synced + ", sync-every: 250ms"))
        .containsExactly(
            new ChangedField("consistency", "exact", "synced"),
            new ChangedField("sync-every", "none", "250ms"));
    String local = "limit: 9/s, on-store-failure: local";
    assertThat(fields(local, local + ", local-share: 25%"))
        .containsExactly(new ChangedField("local-share", "10%", "25%"));
    assertThat(fields("limit: 9/s", local + ", local-share: 25%"))
        .contains(new ChangedField("local-share", "none", "25%"));
  }
}
