package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Heard;
import io.weir.testkit.LogLines;
import io.weir.testkit.Soon;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is bad in any database is told when it becomes so, and not at each look. */
@Timeout(60)
abstract class ToldOnceContract extends DatabaseTest {
  private static final int LOOKS = 40;

  private final Heard heard = new Heard();

  @Test
  void eachBadContentIsToldOnceHoweverOftenItIsRead() {
    try (LogLines log = new LogLines()) {
      DatabaseRules node = eagerNode(heard);
      for (String id : List.of("api", "web", "other")) {
        node.put(rule(id, 1), "ann", 0);
      }
      spoil(node, "api", "first-typo", 1);
      spoil(node, "web", "second-typo", 2);
      spoil(node, "api", "third-typo", 3);
      looks(node);
      assertThat(warnings(log)).hasSize(3).hasSameSizeAs(heard.rejections);
      for (String typo : List.of("first-typo", "second-typo", "third-typo")) {
        assertThat(warnings(log)).filteredOn(line -> line.contains(typo)).hasSize(1);
      }
    }
  }

  @Test
  void aKeyThatIsNoneIsToldOnceHoweverOftenAllAreRead() {
    try (LogLines log = new LogLines()) {
      ApiKeys keys = eagerNode().keys();
      NewKey bad = keys.create("acme", "pro", "ann");
      byHand("UPDATE weir_key SET hash = 'no-hex' WHERE id = '" + bad.id() + "'");
      Soon.until(SOON, "it is none", () -> keys.verify(bad.secret()).isEmpty());
      for (int i = 0; i < 5; i++) {
        NewKey deleted = keys.create("acme", "pro", "ann");
        byHand("DELETE FROM weir_key WHERE id = '" + deleted.id() + "'");
        Soon.until(SOON, "all are read anew", () -> keys.verify(deleted.secret()).isEmpty());
      }
      assertThat(log.lines()).filteredOn(line -> line.contains(bad.id())).hasSize(1);
    }
  }

  private void spoil(DatabaseRules node, String id, String field, int told) {
    String body = "{\"id\":\"" + id + "\",\"" + field + "\":1}";
    byHand("UPDATE weir_rule SET body = '" + body + "' WHERE id = '" + id + "'");
    Soon.until(SOON, field + " is told", () -> heard.rejections.size() == told);
    assertThat(heard.rejections.get(told - 1)).contains(field);
    looks(node);
  }

  /** Each change is followed by a look. */
  private static void looks(DatabaseRules node) {
    for (int i = 1; i <= LOOKS; i++) {
      node.put(rule("other", 1 + i), "ann", node.revision("other"));
    }
    node.put(rule("other", 1), "ann", node.revision("other"));
  }

  private static List<String> warnings(LogLines log) {
    return log.lines().stream().filter(line -> line.contains("refused")).toList();
  }
}
