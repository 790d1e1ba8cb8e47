package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Rule;
import io.weir.rules.Heard;
import io.weir.rules.Rules;
import io.weir.testkit.Soon;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** D1 to D3 in any database: a row that was made bad by hand hurts nobody, itself included. */
@Timeout(60)
abstract class BadRowsContract extends DatabaseTest {
  private static final String TYPO = "{\"id\":\"api\",\"limti\":\"1/hour\"}";

  private static final List<String> FIELDS =
      List.of(
          "id",
          "match",
          "per",
          "limit",
          "algorithm",
          "burst",
          "cool-down",
          "consistency",
          "sync-every",
          "on-store-failure",
          "local-share",
          "regions",
          "overrides",
          "durable",
          "shadow",
          "enabled");

  private static final List<String> NO_NAMES =
      List.of("null", "\"\"", "[null]", "{\"a\":null}", "[[]]", "\"");
  private static final List<String> NO_VALUES =
      List.of(".nan", ".inf", "1e400", "-1", "9223372036854775808", "null", "[null]", "[", "");

  private final Heard heard = new Heard();

  @Test
  @DisplayName(
      "D1, D3 a row blank, null, cut or misspelt is told with its place, its last good version serves")
  void aBadRowIsToldWithItsPlaceAndItsLastGoodVersionServes() {
    DatabaseRules node = eagerNode(heard);
    node.put(rule("api", 5), "ann", 0);
    for (String body :
        List.of("", "null", TYPO, "{\"id\":", "{\"id\":\"web\",\"limit\":\"1/h\"}")) {
      heard.rejections.clear();
      edit("api", body);
      Soon.until(SOON, "it is told", () -> !heard.rejections.isEmpty());
      assertThat(heard.rejections.get(0)).startsWith("weir_rule api:");
      assertThat(node.refused()).containsOnlyKeys("api");
      assertThat(node.refused()).containsValue(heard.rejections.get(0));
      assertThat(node.current().rules()).containsExactly(rule("api", 5));
    }
    Soon.until(SOON, "it is stale", () -> !node.stale().isZero());
    edit("api", TYPO);
    Soon.until(SOON, "it is told", () -> heard.rejections.size() == 2);
    assertThat(heard.rejections.get(1))
        .startsWith("weir_rule api:1:13: api: limti: is not a field; did you mean limit?");
  }

  @Test
  void rulesBesideABadOneAreChangedAndServeEverywhere() {
    DatabaseRules here = eagerNode(heard);
    here.put(rule("api", 5), "ann", 0);
    here.put(rule("web", 5), "ann", 0);
    here.put(rule("old", 5), "ann", 0);
    DatabaseRules there = eagerNode();
    edit("api", TYPO);
    Soon.until(SOON, "both know", () -> isBad(here, "api") && isBad(there, "api"));
    here.put(rule("web", 6), "ann", here.revision("web"));
    here.put(rule("new", 1), "ann", 0);
    here.delete("old", "ann", here.revision("old"));
    List<Rule> all = List.of(rule("api", 5), rule("web", 6), rule("new", 1));
    assertThat(here.current().rules()).isEqualTo(all);
    Soon.until(SOON, "they are there", () -> there.current().rules().equals(all));
    DatabaseRules late = node();
    assertThat(late.current().rules()).as("of a node that never saw it good").isEqualTo(all);
    assertThat(late.current().revision()).isEqualTo(here.current().revision());
    assertThat(late.refused()).isEqualTo(here.refused()).isNotEmpty();
    assertThat(heard.rejections).as("told once").hasSize(1);
    there.undo("web", "bob");
    assertThat(there.current().rules()).contains(rule("api", 5), rule("web", 5));
  }

  @Test
  void itIsPutRightByAChangeOrByHandOrByDeletingIt() {
    DatabaseRules node = eagerNode(heard);
    for (String id : List.of("api", "web", "old")) {
      node.put(rule(id, 5), "ann", 0);
      edit(id, "");
    }
    Soon.until(SOON, "all are bad", () -> node.refused().size() == 3);
    node.put(rule("api", 6), "ann", node.revision("api"));
    assertThat(node.current().rule("api")).isEqualTo(rule("api", 6));
    assertThat(node.refused()).containsOnlyKeys("old", "web");
    edit("web", "{\"id\":\"web\",\"per\":[\"user\"],\"limit\":\"7/hour\"}");
    Soon.until(SOON, "it is good", () -> !isBad(node, "web"));
    assertThat(node.current().rule("web")).isEqualTo(rule("web", 7));
    node.delete("old", "ann", node.revision("old"));
    assertThat(node.current().rules()).containsExactly(rule("api", 6), rule("web", 7));
    assertThat(node.refused()).isEmpty();
    Soon.until(SOON, "it is in step", () -> node.stale().isZero());
  }

  @Test
  void aRowThatNeverWasGoodKeepsNobodyFromStarting() {
    DatabaseRules node = eagerNode(heard);
    node.put(rule("api", 5), "ann", 0);
    node.put(rule("gone", 5), "ann", 0);
    node.delete("gone", "ann", node.revision("gone"));
    byHand("INSERT INTO weir_rule (id, position, body, revision) VALUES ('gone', 9, '', 0)");
    Soon.until(SOON, "it is told", () -> isBad(node, "gone"));
    for (DatabaseRules each : List.of(node, node())) {
      assertThat(each.current().rules()).containsExactly(rule("api", 5));
      assertThat(each.refused()).containsOnlyKeys("gone");
    }
  }

  @Test
  void withoutHistoryOrCopyToSayWhatItWasTheStartFails() {
    try (DatabaseRules node = DatabaseRules.open(url())) {
      node.put(rule("api", 5), "ann", 0);
    }
    edit("api", TYPO);
    byHand("DELETE FROM weir_history");
    assertThatThrownBy(this::node)
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("write them anew or delete them: weir_rule api:1:13: api: limti:");
  }

  /** Every field in turn, with values that no field can have. */
  @Test
  @DisplayName("D1, D2 each field in turn, null, cut or no number, is refused")
  void noFieldTakesABadValue() throws SQLException {
    Map<String, String> good = new TreeMap<>();
    Map<String, String> bad = new TreeMap<>();
    for (String field : FIELDS) {
      for (String value : field.equals("per") ? NO_NAMES : NO_VALUES) {
        String id = "r" + bad.size();
        good.put(id, Rules.toJson(rule(id, 5)));
        String name = field.equals("id") ? "" : ",\"id\":\"" + id + "\"";
        String limit = field.equals("limit") ? "" : ",\"limit\":\"1/hour\"";
        bad.put(id, "{\"" + field + "\":" + value + name + limit + "}");
      }
    }
    DatabaseRules node = eagerNode(heard);
    write("INSERT INTO weir_rule (body, id, position, revision) VALUES (?, ?, 1, 1)", good);
    Soon.until(SOON, "they serve", () -> node.current().rules().size() == good.size());
    List<Rule> serving = node.current().rules();
    write("UPDATE weir_rule SET body = ? WHERE id = ?", bad);
    Soon.until(SOON, "they are told", () -> !node.refused().isEmpty());
    assertThat(node.refused()).containsOnlyKeys(bad.keySet());
    assertThat(node.refused().values()).allMatch(r -> r.matches("(?s)weir_rule r[0-9]+:.*; .*"));
    assertThat(node.current().rules()).isEqualTo(serving);
  }

  private void write(String sql, Map<String, String> bodies) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        PreparedStatement write = connection.prepareStatement(sql)) {
      connection.setAutoCommit(false);
      for (Map.Entry<String, String> one : bodies.entrySet()) {
        write.setString(1, one.getValue());
        write.setString(2, one.getKey());
        write.addBatch();
      }
      write.executeBatch();
      connection.commit();
    }
  }

  private static boolean isBad(DatabaseRules node, String id) {
    return node.refused().containsKey(id);
  }

  private void edit(String id, String body) {
    byHand("UPDATE weir_rule SET body = '" + body + "' WHERE id = '" + id + "'");
  }
}
