package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.text.TextException;
import io.weir.store.Clock;
import io.weir.testkit.Soon;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More rules in a database than a node may read. */
class DatabaseSizeTest extends DatabaseTest {
  private final Path folder;

  DatabaseSizeTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Override
  String url() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }

  @Test
  void moreRulesThanFit_areRefused_andTheLastGoodServe() {
    DatabaseRules large = eagerNode();
    large.put(rule("first", 1), "ann", 0);
    var bounds =
        new DatabaseRules.Settings(Duration.ofMillis(20), Clock.system(), Optional.empty(), 120);
    DatabaseRules small = opened(DatabaseRules.open(url(), bounds));
    large.put(rule("second", 1), "ann", 0);
    Soon.until(SOON, "two fit", () -> small.current().rules().size() == 2);
    assertThatThrownBy(() -> small.put(rule("third", 1), "ann", 0))
        .isInstanceOf(TextException.class)
        .hasMessageContaining("rules must be at most 120 bytes");
    assertThat(small.writeFailure()).isEmpty();
    large.put(rule("third", 1), "bob", 0);
    Soon.until(SOON, "it is stale", () -> !small.stale().isZero());
    assertThat(small.current().rules()).hasSize(2);
    small.delete("third", "ann", large.revision("third"));
    Soon.until(SOON, "it is in step", () -> small.stale().isZero());
    assertThatThrownBy(
            () ->
                DatabaseRules.open(
                    url(),
                    new DatabaseRules.Settings(
                        Duration.ofMillis(20), Clock.system(), Optional.empty(), 10)))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("rules must be at most 10 bytes");
  }
}
