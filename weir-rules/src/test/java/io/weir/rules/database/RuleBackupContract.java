package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.RecordingRulesListener;
import io.weir.rules.Rules;
import io.weir.testkit.Await;
import io.weir.testkit.CapturedLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starts from the backup on disk, with invalid content in the database or in the backup. */
@Timeout(60)
abstract class RuleBackupContract extends DatabaseTestBase {
  private static final String MISSPELLED_RULE = "{\"id\":\"web\",\"limti\":\"1/hour\"}";

  private final RecordingRulesListener listener = new RecordingRulesListener();

  @SuppressWarnings("NullAway.Init")
  private Path backupFile;

  @BeforeEach
  void useFolder(@TempDir Path folder) {
    backupFile = folder.resolve("rules.copy");
  }

  /** Makes the database unavailable. */
  abstract void makeUnavailable() throws Exception;

  @Test
  void badRowWithoutHistory_isServedFromBackup() {
    try (DatabaseRules node = DatabaseRules.open(url(), backupFile)) {
      node.put(rule("api", 5), "ann", 0);
      node.put(rule("web", 6), "ann", 0);
    }
    executeSql("UPDATE weir_rule SET body = '" + MISSPELLED_RULE + "' WHERE id = 'web'");
    executeSql("DELETE FROM weir_history");
    for (int start = 1; start <= 2; start++) {
      try (DatabaseRules node = DatabaseRules.open(url(), backupFile, listener)) {
        assertThat(node.current().rules()).containsExactly(rule("api", 5), rule("web", 6));
        assertThat(node.rejected()).containsOnlyKeys("web");
        assertThat(listener.rejections).as("reported at start %d", start).hasSize(start);
        node.put(rule("api", 5 + start), "ann", node.revision("api"));
        node.put(rule("api", 5), "ann", node.revision("api"));
      }
    }
  }

  @Test
  void badEntryInBackup_isSkippedWhileDatabaseIsDown() throws Exception {
    NewApiKey good;
    NewApiKey bad;
    try (DatabaseRules node = DatabaseRules.open(url(), backupFile)) {
      node.put(rule("api", 5), "ann", 0);
      node.put(rule("web", 6), "ann", 0);
      node.put(rule("new", 7), "ann", 0);
      good = node.keys().create("acme", "pro", "ann");
      bad = node.keys().create("eve", "pro", "ann");
    }
    replaceInBackup(Rules.toJson(rule("web", 6)), MISSPELLED_RULE);
    replaceInBackup(ApiKeySecret.digest(bad.secret()).toHex(), "no-hex");
    makeUnavailable();
    try (CapturedLogs log = new CapturedLogs();
        DatabaseRules node = DatabaseRules.open(url(), backupFile, listener)) {
      assertThat(node.current().rules()).containsExactly(rule("api", 5), rule("new", 7));
      assertThat(listener.rejections)
          .singleElement()
          .asString()
          .startsWith(backupFile + " rule 2:1:13: web: limti: is not a field; did you mean limit?");
      assertThat(node.rejected().values()).containsExactlyElementsOf(listener.rejections);
      assertThat(node.keys().verify(good.secret()).map(ApiKeyOwner::user)).contains("acme");
      assertThat(node.keys().verify(bad.secret())).isEmpty();
      Await.until(MAX_DELAY, "stale rules", () -> !node.staleness().isZero());
      assertThat(log.lines()).filteredOn(line -> line.contains("limti")).hasSize(1);
      assertThat(log.lines()).filteredOn(line -> line.contains("an invalid API key")).hasSize(1);
    }
  }

  @Test
  void truncatedBackup_isRejectedWithItsPath() throws Exception {
    try (DatabaseRules node = DatabaseRules.open(url(), backupFile)) {
      node.put(rule("api", 5), "ann", 0);
      node.keys().create("acme", "pro", "ann");
    }
    makeUnavailable();
    String whole = Files.readString(backupFile);
    for (int length = 0; length < whole.length(); length++) {
      Files.writeString(backupFile, whole.substring(0, length));
      RuleBackup cut = new RuleBackup(backupFile);
      assertThatThrownBy(cut::read)
          .as("cut to %d characters", length)
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("the backup at " + backupFile + " cannot be read: ");
    }
    assertThatThrownBy(() -> DatabaseRules.open(url(), backupFile))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("the backup at " + backupFile + " cannot be read: it is incomplete")
        .hasMessageEndingWith("; start the database first");
  }

  private void replaceInBackup(String old, String now) throws IOException {
    String text = Files.readString(backupFile);
    assertThat(text).contains(old);
    Files.writeString(backupFile, text.replace(old, now));
  }
}
