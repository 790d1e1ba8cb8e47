package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Rule;
import io.weir.rules.RecordingRulesListener;
import io.weir.rules.Rules;
import io.weir.testkit.Await;
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

/** Any database: an invalid row affects neither other rules nor its last good version. */
@Timeout(60)
abstract class BadRowsContract extends DatabaseTestBase {
  private static final String MISSPELLED_RULE = "{\"id\":\"api\",\"limti\":\"1/hour\"}";

  private static final List<String> FIELD_NAMES =
      List.of(
          "id",
          "action",
          "match",
          "per",
          "missing",
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
          "charge-when",
          "refund-when",
          "durable",
          "shadow",
          "enabled");

  private static final List<String> INVALID_NAMES =
      List.of("null", "\"\"", "[null]", "{\"a\":null}", "[[]]", "\"");
  private static final List<String> INVALID_VALUES =
      List.of(".nan", ".inf", "1e400", "-1", "9223372036854775808", "null", "[null]", "[", "");

  private final RecordingRulesListener listener = new RecordingRulesListener();

  @Test
  @DisplayName(
      "a blank, null, truncated or misspelled row is reported, its last good version stays")
  void badRow_isReportedWithPositionAndLastGoodVersionStays() {
    DatabaseRules node = openFastPollingNode(listener);
    node.put(rule("api", 5), "ann", 0);
    for (String body :
        List.of("", "null", MISSPELLED_RULE, "{\"id\":", "{\"id\":\"web\",\"limit\":\"1/h\"}")) {
      listener.rejections.clear();
      edit("api", body);
      Await.until(MAX_DELAY, "the rejection", () -> !listener.rejections.isEmpty());
      assertThat(listener.rejections.get(0)).startsWith("weir_rule api:");
      assertThat(node.rejected()).containsOnlyKeys("api");
      assertThat(node.rejected()).containsValue(listener.rejections.get(0));
      assertThat(node.current().rules()).containsExactly(rule("api", 5));
    }
    Await.until(MAX_DELAY, "stale rules", () -> !node.staleness().isZero());
    edit("api", MISSPELLED_RULE);
    Await.until(MAX_DELAY, "the second rejection", () -> listener.rejections.size() == 2);
    assertThat(listener.rejections.get(1))
        .startsWith("weir_rule api:1:13: api: limti: is not a field; did you mean limit?");
  }

  @Test
  void badRow_doesNotBlockChangesOfOtherRules() {
    DatabaseRules here = openFastPollingNode(listener);
    here.put(rule("api", 5), "ann", 0);
    here.put(rule("web", 5), "ann", 0);
    here.put(rule("old", 5), "ann", 0);
    DatabaseRules there = openFastPollingNode();
    edit("api", MISSPELLED_RULE);
    Await.until(
        MAX_DELAY,
        "both nodes to see the bad row",
        () -> isBad(here, "api") && isBad(there, "api"));
    here.put(rule("web", 6), "ann", here.revision("web"));
    here.put(rule("new", 1), "ann", 0);
    here.delete("old", "ann", here.revision("old"));
    List<Rule> all = List.of(rule("api", 5), rule("web", 6), rule("new", 1));
    assertThat(here.current().rules()).isEqualTo(all);
    Await.until(
        MAX_DELAY, "the rules on the other node", () -> there.current().rules().equals(all));
    DatabaseRules late = openNode();
    assertThat(late.current().rules())
        .as("rules of a node started with the bad row")
        .isEqualTo(all);
    assertThat(late.current().revision()).isEqualTo(here.current().revision());
    assertThat(late.rejected()).isEqualTo(here.rejected()).isNotEmpty();
    assertThat(listener.rejections).as("reported once").hasSize(1);
    there.undo("web", "bob");
    assertThat(there.current().rules()).contains(rule("api", 5), rule("web", 5));
  }

  @Test
  void badRow_isRepairedByChangeManualEditOrDeletion() {
    DatabaseRules node = openFastPollingNode(listener);
    for (String id : List.of("api", "web", "old")) {
      node.put(rule(id, 5), "ann", 0);
      edit(id, "");
    }
    Await.until(MAX_DELAY, "all rows to be bad", () -> node.rejected().size() == 3);
    node.put(rule("api", 6), "ann", node.revision("api"));
    assertThat(node.current().rule("api")).isEqualTo(rule("api", 6));
    assertThat(node.rejected()).containsOnlyKeys("old", "web");
    edit("web", "{\"id\":\"web\",\"per\":[\"user\"],\"limit\":\"7/hour\"}");
    Await.until(MAX_DELAY, "the row to be good", () -> !isBad(node, "web"));
    assertThat(node.current().rule("web")).isEqualTo(rule("web", 7));
    node.delete("old", "ann", node.revision("old"));
    assertThat(node.current().rules()).containsExactly(rule("api", 6), rule("web", 7));
    assertThat(node.rejected()).isEmpty();
    Await.until(MAX_DELAY, "the rules to be up to date", () -> node.staleness().isZero());
  }

  @Test
  void rowThatWasNeverGood_doesNotPreventStart() {
    DatabaseRules node = openFastPollingNode(listener);
    node.put(rule("api", 5), "ann", 0);
    node.put(rule("gone", 5), "ann", 0);
    node.delete("gone", "ann", node.revision("gone"));
    executeSql("INSERT INTO weir_rule (id, position, body, revision) VALUES ('gone', 9, '', 0)");
    Await.until(MAX_DELAY, "the rejection", () -> isBad(node, "gone"));
    for (DatabaseRules each : List.of(node, openNode())) {
      assertThat(each.current().rules()).containsExactly(rule("api", 5));
      assertThat(each.rejected()).containsOnlyKeys("gone");
    }
  }

  @Test
  void badRowWithoutHistoryOrBackup_preventsStart() {
    try (DatabaseRules node = DatabaseRules.open(url())) {
      node.put(rule("api", 5), "ann", 0);
    }
    edit("api", MISSPELLED_RULE);
    executeSql("DELETE FROM weir_history");
    assertThatThrownBy(this::openNode)
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("correct or delete them: weir_rule api:1:13: api: limti:");
  }

  /** Every field in turn, with values that are invalid for every field. */
  @Test
  @DisplayName("a null, truncated or invalid value of any field is rejected")
  void badValueInAnyField_isRejected() throws SQLException {
    Map<String, String> good = new TreeMap<>();
    Map<String, String> bad = new TreeMap<>();
    for (String field : FIELD_NAMES) {
      for (String value : field.equals("per") ? INVALID_NAMES : INVALID_VALUES) {
        String id = "r" + bad.size();
        good.put(id, Rules.toJson(rule(id, 5)));
        String name = field.equals("id") ? "" : ",\"id\":\"" + id + "\"";
        String limit = field.equals("limit") ? "" : ",\"limit\":\"1/hour\"";
        bad.put(id, "{\"" + field + "\":" + value + name + limit + "}");
      }
    }
    DatabaseRules node = openFastPollingNode(listener);
    write("INSERT INTO weir_rule (body, id, position, revision) VALUES (?, ?, 1, 1)", good);
    Await.until(
        MAX_DELAY, "the rules to be in force", () -> node.current().rules().size() == good.size());
    List<Rule> serving = node.current().rules();
    write("UPDATE weir_rule SET body = ? WHERE id = ?", bad);
    Await.until(MAX_DELAY, "the rejections", () -> !node.rejected().isEmpty());
    assertThat(node.rejected()).containsOnlyKeys(bad.keySet());
    assertThat(node.rejected().values())
        .allMatch(r -> r.matches("(?s)weir_rule r[0-9]+:.*(must |; ).*"));
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
    return node.rejected().containsKey(id);
  }

  private void edit(String id, String body) {
    executeSql("UPDATE weir_rule SET body = '" + body + "' WHERE id = '" + id + "'");
  }
}
