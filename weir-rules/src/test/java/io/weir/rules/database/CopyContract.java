package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.Heard;
import io.weir.rules.Rules;
import io.weir.testkit.LogLines;
import io.weir.testkit.Soon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A start from the copy on disk, where the database or the copy itself holds what is bad. */
@Timeout(60)
abstract class CopyContract extends DatabaseTest {
  private static final String TYPO = "{\"id\":\"web\",\"limti\":\"1/hour\"}";

  private final Heard heard = new Heard();

  @SuppressWarnings("NullAway.Init")
  private Path copy;

  @BeforeEach
  void folder(@TempDir Path folder) {
    copy = folder.resolve("rules.copy");
  }

  /** Makes the database one that cannot be opened. */
  abstract void lose() throws Exception;

  @Test
  void ofABadRowWithoutHistoryTheCopyServes() {
    try (DatabaseRules node = DatabaseRules.open(url(), copy)) {
      node.put(rule("api", 5), "ann", 0);
      node.put(rule("web", 6), "ann", 0);
    }
    byHand("UPDATE weir_rule SET body = '" + TYPO + "' WHERE id = 'web'");
    byHand("DELETE FROM weir_history");
    for (int start = 1; start <= 2; start++) {
      try (DatabaseRules node = DatabaseRules.open(url(), copy, heard)) {
        assertThat(node.current().rules()).containsExactly(rule("api", 5), rule("web", 6));
        assertThat(node.refused()).containsOnlyKeys("web");
        assertThat(heard.rejections).as("told at start %d", start).hasSize(start);
        node.put(rule("api", 5 + start), "ann", node.revision("api"));
        node.put(rule("api", 5), "ann", node.revision("api"));
      }
    }
  }

  @Test
  void aBadRuleOrKeyInTheCopyIsLeftOutAndTheRestServesWhileTheDatabaseIsAway() throws Exception {
    NewKey good;
    NewKey bad;
    try (DatabaseRules node = DatabaseRules.open(url(), copy)) {
      node.put(rule("api", 5), "ann", 0);
      node.put(rule("web", 6), "ann", 0);
      node.put(rule("new", 7), "ann", 0);
      good = node.keys().create("acme", "pro", "ann");
      bad = node.keys().create("eve", "pro", "ann");
    }
    edit(Rules.toJson(rule("web", 6)), TYPO);
    edit(Secret.digest(bad.secret()).hex(), "no-hex");
    lose();
    try (LogLines log = new LogLines();
        DatabaseRules node = DatabaseRules.open(url(), copy, heard)) {
      assertThat(node.current().rules()).containsExactly(rule("api", 5), rule("new", 7));
      assertThat(heard.rejections)
          .singleElement()
          .asString()
          .startsWith(copy + " rule 2:1:13: web: limti: is not a field; did you mean limit?");
      assertThat(node.refused().values()).containsExactlyElementsOf(heard.rejections);
      assertThat(node.keys().verify(good.secret()).map(Caller::user)).contains("acme");
      assertThat(node.keys().verify(bad.secret())).isEmpty();
      Soon.until(SOON, "it is stale", () -> !node.stale().isZero());
      assertThat(log.lines()).filteredOn(line -> line.contains("limti")).hasSize(1);
      assertThat(log.lines()).filteredOn(line -> line.contains("a key that is none")).hasSize(1);
    }
  }

  @Test
  void aCopyCutAnywhereIsRefusedAndNamed() throws Exception {
    try (DatabaseRules node = DatabaseRules.open(url(), copy)) {
      node.put(rule("api", 5), "ann", 0);
      node.keys().create("acme", "pro", "ann");
    }
    lose();
    String whole = Files.readString(copy);
    for (int length = 0; length < whole.length(); length++) {
      Files.writeString(copy, whole.substring(0, length));
      Copy cut = new Copy(copy);
      assertThatThrownBy(cut::read)
          .as("cut to %d characters", length)
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("the copy at " + copy + " cannot be read: ");
    }
    assertThatThrownBy(() -> DatabaseRules.open(url(), copy))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("the copy at " + copy + " cannot be read: it is not whole")
        .hasMessageEndingWith("; start the database first");
  }

  private void edit(String old, String now) throws IOException {
    String text = Files.readString(copy);
    assertThat(text).contains(old);
    Files.writeString(copy, text.replace(old, now));
  }
}
