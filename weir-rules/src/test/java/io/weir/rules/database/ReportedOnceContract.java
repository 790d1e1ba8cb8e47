package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.RecordingRulesListener;
import io.weir.testkit.Await;
import io.weir.testkit.CapturedLogs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Any database: an invalid row is reported once, and not at each read. */
@Timeout(60)
abstract class ReportedOnceContract extends DatabaseTestBase {
  private static final int READS = 40;

  private final RecordingRulesListener listener = new RecordingRulesListener();

  @Test
  void badRow_isReportedOnceHoweverOftenRead() {
    try (CapturedLogs log = new CapturedLogs()) {
      DatabaseRules node = openFastPollingNode(listener);
      for (String id : List.of("api", "web", "other")) {
        node.put(rule(id, 1), "ann", 0);
      }
      writeBadRule(node, "api", "first-typo", 1);
      writeBadRule(node, "web", "second-typo", 2);
      writeBadRule(node, "api", "third-typo", 3);
      forceReads(node);
      assertThat(warnings(log)).hasSize(3).hasSameSizeAs(listener.rejections);
      for (String typo : List.of("first-typo", "second-typo", "third-typo")) {
        assertThat(warnings(log)).filteredOn(line -> line.contains(typo)).hasSize(1);
      }
    }
  }

  @Test
  void badKey_isReportedOnceHoweverOftenRead() {
    try (CapturedLogs log = new CapturedLogs()) {
      ApiKeys keys = openFastPollingNode().keys();
      NewApiKey bad = keys.create("acme", "pro", "ann");
      executeSql("UPDATE weir_key SET hash = 'no-hex' WHERE id = '" + bad.id() + "'");
      Await.until(MAX_DELAY, "the key to be invalid", () -> keys.verify(bad.secret()).isEmpty());
      for (int i = 0; i < 5; i++) {
        NewApiKey deleted = keys.create("acme", "pro", "ann");
        executeSql("DELETE FROM weir_key WHERE id = '" + deleted.id() + "'");
        Await.until(
            MAX_DELAY, "all keys to be read again", () -> keys.verify(deleted.secret()).isEmpty());
      }
      assertThat(log.lines()).filteredOn(line -> line.contains(bad.id())).hasSize(1);
    }
  }

  private void writeBadRule(DatabaseRules node, String id, String field, int count) {
    String body = "{\"id\":\"" + id + "\",\"" + field + "\":1}";
    executeSql("UPDATE weir_rule SET body = '" + body + "' WHERE id = '" + id + "'");
    Await.until(MAX_DELAY, "the rejection of " + field, () -> listener.rejections.size() == count);
    assertThat(listener.rejections.get(count - 1)).contains(field);
    forceReads(node);
  }

  /** Makes many changes, each of which causes a read. */
  private static void forceReads(DatabaseRules node) {
    for (int i = 1; i <= READS; i++) {
      node.put(rule("other", 1 + i), "ann", node.revision("other"));
    }
    node.put(rule("other", 1), "ann", node.revision("other"));
  }

  private static List<String> warnings(CapturedLogs log) {
    return log.lines().stream().filter(line -> line.contains("rejected")).toList();
  }
}
