package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Any database: manual edits of rows are detected as fast as changes made by Weir. */
@Timeout(60)
abstract class ManualEditsContract extends DatabaseTestBase {

  @Test
  void manualEdit_appliesOnEveryNode() {
    DatabaseRules here = openNode();
    DatabaseRules there = openNode();
    here.put(rule("api", 1), "ann", 0);
    executeSql(insertSql("web", 1));
    assertApplied("inserted", here, there, rule("api", 1), rule("web", 1));
    executeSql(updateSql("api", 2));
    assertApplied("updated", here, there, rule("api", 2), rule("web", 1));
    executeSql("UPDATE weir_rule SET position = 99 WHERE id = 'api'");
    assertApplied("reordered", here, there, rule("web", 1), rule("api", 2));
    executeSql("DELETE FROM weir_rule WHERE id = 'web'");
    assertApplied("deleted", here, there, rule("api", 2));
    executeSql("DELETE FROM weir_rule", insertSql("new", 1), updateSql("new", 2));
    assertApplied("all at once", here, there, rule("new", 2));
    assertThat(here.revision("new")).isEqualTo(there.revision("new")).isGreaterThan(1);
  }

  private static void assertApplied(
      String what, DatabaseRules here, DatabaseRules there, Rule... rules) {
    List<Rule> all = List.of(rules);
    Duration took =
        Await.until(
            MAX_DELAY,
            "the manual edit " + what,
            () -> here.current().rules().equals(all) && there.current().rules().equals(all));
    System.out.println(what + " manually: in force on both nodes after " + took.toMillis() + " ms");
  }

  @Test
  void manualEdit_isInHistoryAndCanBeUndone() {
    DatabaseRules node = openNode();
    node.put(rule("first", 1), "ann", 0);
    node.put(rule("last", 1), "ann", 0);
    executeSql(updateSql("first", 2));
    executeSql("UPDATE weir_rule SET position = 99 WHERE id = 'first'");
    List<RuleChange> history = node.history("first");
    assertThat(history).extracting(RuleChange::who).last().isEqualTo("ann");
    assertThat(history.subList(0, 2)).allMatch(change -> change.who().endsWith("by hand"));
    assertThat(history.get(1).before()).isEqualTo(json("first", 1));
    assertThat(history.get(1).after()).isEqualTo(json("first", 2));
    node.undo("first", "bob");
    assertThat(node.current().rules()).containsExactly(rule("first", 2), rule("last", 1));
    executeSql("DELETE FROM weir_rule WHERE id = 'first'");
    node.undo("first", "bob");
    assertThat(node.current().rules()).containsExactly(rule("first", 2), rule("last", 1));
    assertThat(node.history("first")).extracting(RuleChange::who).first().isEqualTo("bob");
  }

  @Test
  void changeAfterManualEdit_isRejectedAsStale() {
    DatabaseRules node = openNode();
    long seen = node.put(rule("api", 1), "ann", 0);
    executeSql(updateSql("api", 2));
    assertThatThrownBy(() -> node.put(rule("api", 3), "ann", seen))
        .isInstanceOfSatisfying(
            StaleRevisionException.class, e -> assertThat(e.currentRevision()).isGreaterThan(seen));
  }

  @Test
  void changedId_isRejected() {
    DatabaseRules node = openNode();
    node.put(rule("api", 1), "ann", 0);
    assertThatThrownBy(() -> executeSql("UPDATE weir_rule SET id = 'other' WHERE id = 'api'"))
        .hasMessageContaining("rule api keeps its id");
    assertThat(node.history("other")).isEmpty();
  }

  @Test
  void keysChangedManually_areFound() {
    ApiKeys keys = openNode().keys();
    NewApiKey revoked = keys.create("acme", "pro", "ann");
    NewApiKey deleted = keys.create("acme", "pro", "ann");
    executeSql("UPDATE weir_key SET revoked_at = created_at WHERE id = '" + revoked.id() + "'");
    Await.until(MAX_DELAY, "the revocation", () -> keys.verify(revoked.secret()).isEmpty());
    executeSql("UPDATE weir_key SET tier = 'free' WHERE id = '" + deleted.id() + "'");
    Await.until(
        MAX_DELAY,
        "the edit",
        () -> keys.verify(deleted.secret()).filter(ManualEditsContract::isFree).isPresent());
    executeSql("DELETE FROM weir_key WHERE id = '" + deleted.id() + "'");
    Await.until(MAX_DELAY, "the deletion", () -> keys.verify(deleted.secret()).isEmpty());
    String secret = "weir_made_by_hand";
    String hash = ApiKeySecret.digest(secret).toHex();
    executeSql(
        "INSERT INTO weir_key (id, hash, owner, tier, who, revision) VALUES ('k', '"
            + hash
            + "', 'eve', '', 'ann', 0)");
    Await.until(MAX_DELAY, "the new key", () -> keys.verify(secret).isPresent());
  }

  private static boolean isFree(ApiKeyOwner caller) {
    return caller.tier().equals("free");
  }

  private static Optional<String> json(String id, int permits) {
    return Optional.of(Rules.toJson(rule(id, permits)));
  }

  private static String insertSql(String id, int permits) {
    return "INSERT INTO weir_rule (id, position, body, revision) VALUES ('%s', 50, '%s', 0)"
        .formatted(id, Rules.toJson(rule(id, permits)));
  }

  private static String updateSql(String id, int permits) {
    return "UPDATE weir_rule SET body = '%s' WHERE id = '%s'"
        .formatted(Rules.toJson(rule(id, permits)), id);
  }
}
