package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.testkit.Soon;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows written by hand in any database are found as soon as changes made by Weir. */
@Timeout(60)
abstract class HandEditsContract extends DatabaseTest {

  @Test
  void anEditByHandIsInForceOnEveryNode() {
    DatabaseRules here = node();
    DatabaseRules there = node();
    here.put(rule("api", 1), "ann", 0);
    byHand(insert("web", 1));
    seen("inserted", here, there, rule("api", 1), rule("web", 1));
    byHand(update("api", 2));
    seen("updated", here, there, rule("api", 2), rule("web", 1));
    byHand("UPDATE weir_rule SET position = 99 WHERE id = 'api'");
    seen("reordered", here, there, rule("web", 1), rule("api", 2));
    byHand("DELETE FROM weir_rule WHERE id = 'web'");
    seen("deleted", here, there, rule("api", 2));
    byHand("DELETE FROM weir_rule", insert("new", 1), update("new", 2));
    seen("all at once", here, there, rule("new", 2));
    assertThat(here.revision("new")).isEqualTo(there.revision("new")).isGreaterThan(1);
  }

  private static void seen(String what, DatabaseRules here, DatabaseRules there, Rule... rules) {
    List<Rule> all = List.of(rules);
    Duration took =
        Soon.until(
            SOON,
            what + " by hand is in force",
            () -> here.current().rules().equals(all) && there.current().rules().equals(all));
    System.out.println(what + " by hand: in force on both after " + took.toMillis() + " ms");
  }

  @Test
  void theHistoryHasItAndItIsUndone() {
    DatabaseRules node = node();
    node.put(rule("first", 1), "ann", 0);
    node.put(rule("last", 1), "ann", 0);
    byHand(update("first", 2));
    byHand("UPDATE weir_rule SET position = 99 WHERE id = 'first'");
    List<Change> history = node.history("first");
    assertThat(history).extracting(Change::who).last().isEqualTo("ann");
    assertThat(history.subList(0, 2)).allMatch(change -> change.who().endsWith("by hand"));
    assertThat(history.get(1).before()).isEqualTo(json("first", 1));
    assertThat(history.get(1).after()).isEqualTo(json("first", 2));
    node.undo("first", "bob");
    assertThat(node.current().rules()).containsExactly(rule("first", 2), rule("last", 1));
    byHand("DELETE FROM weir_rule WHERE id = 'first'");
    node.undo("first", "bob");
    assertThat(node.current().rules()).containsExactly(rule("first", 2), rule("last", 1));
    assertThat(node.history("first")).extracting(Change::who).first().isEqualTo("bob");
  }

  @Test
  void aChangeOfWhatAHandHasEditedSinceIsRefused() {
    DatabaseRules node = node();
    long seen = node.put(rule("api", 1), "ann", 0);
    byHand(update("api", 2));
    assertThatThrownBy(() -> node.put(rule("api", 3), "ann", seen))
        .isInstanceOfSatisfying(
            StaleRevisionException.class, e -> assertThat(e.current()).isGreaterThan(seen));
  }

  @Test
  void aRuleKeepsItsId() {
    DatabaseRules node = node();
    node.put(rule("api", 1), "ann", 0);
    assertThatThrownBy(() -> byHand("UPDATE weir_rule SET id = 'other' WHERE id = 'api'"))
        .hasMessageContaining("rule api keeps its id");
    assertThat(node.history("other")).isEmpty();
  }

  @Test
  void aKeyMadeOrRevokedOrDeletedByHandIsFound() {
    ApiKeys keys = node().keys();
    NewKey revoked = keys.create("acme", "pro", "ann");
    NewKey deleted = keys.create("acme", "pro", "ann");
    byHand("UPDATE weir_key SET revoked_at = created_at WHERE id = '" + revoked.id() + "'");
    Soon.until(SOON, "it is revoked", () -> keys.verify(revoked.secret()).isEmpty());
    byHand("UPDATE weir_key SET tier = 'free' WHERE id = '" + deleted.id() + "'");
    Soon.until(
        SOON,
        "it is edited",
        () -> keys.verify(deleted.secret()).filter(HandEditsContract::isFree).isPresent());
    byHand("DELETE FROM weir_key WHERE id = '" + deleted.id() + "'");
    Soon.until(SOON, "it is deleted", () -> keys.verify(deleted.secret()).isEmpty());
    String secret = "weir_made_by_hand";
    String hash = Secret.digest(secret).hex();
    byHand(
        "INSERT INTO weir_key (id, hash, owner, tier, who, revision) VALUES ('k', '"
            + hash
            + "', 'eve', '', 'ann', 0)");
    Soon.until(SOON, "it is good", () -> keys.verify(secret).isPresent());
  }

  private static boolean isFree(Caller caller) {
    return caller.tier().equals("free");
  }

  private static Optional<String> json(String id, int permits) {
    return Optional.of(Rules.toJson(rule(id, permits)));
  }

  private static String insert(String id, int permits) {
    return "INSERT INTO weir_rule (id, position, body, revision) VALUES ('%s', 50, '%s', 0)"
        .formatted(id, Rules.toJson(rule(id, permits)));
  }

  private static String update(String id, int permits) {
    return "UPDATE weir_rule SET body = '%s' WHERE id = '%s'"
        .formatted(Rules.toJson(rule(id, permits)), id);
  }
}
