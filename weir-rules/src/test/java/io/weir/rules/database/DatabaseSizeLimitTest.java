package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.text.InvalidConfigurationException;
import io.weir.store.Clock;
import io.weir.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More rules in a database than a node may read. */
class DatabaseSizeLimitTest extends DatabaseTestBase {
  private final Path folder;

  DatabaseSizeLimitTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Override
  String url() {
    return "jdbc:h2:file:" + folder.resolve("rules");
  }

  @Test
  void tooManyRules_areRejectedAndLastGoodRulesStay() {
    DatabaseRules large = openFastPollingNode();
    large.put(rule("first", 1), "ann", 0);
    var bounds =
        new DatabaseRules.DatabaseRulesSettings(
            Duration.ofMillis(20), Clock.system(), Optional.empty(), 120);
    DatabaseRules small = closeAfterTest(DatabaseRules.open(url(), bounds));
    large.put(rule("second", 1), "ann", 0);
    Await.until(
        MAX_DELAY, "two rules on the small node", () -> small.current().rules().size() == 2);
    assertThatThrownBy(() -> small.put(rule("third", 1), "ann", 0))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("rules must be at most 120 bytes");
    assertThat(small.writeFailure()).isEmpty();
    large.put(rule("third", 1), "bob", 0);
    Await.until(MAX_DELAY, "stale rules", () -> !small.staleness().isZero());
    assertThat(small.current().rules()).hasSize(2);
    small.delete("third", "ann", large.revision("third"));
    Await.until(MAX_DELAY, "the rules to be up to date", () -> small.staleness().isZero());
    assertThatThrownBy(
            () ->
                DatabaseRules.open(
                    url(),
                    new DatabaseRules.DatabaseRulesSettings(
                        Duration.ofMillis(20), Clock.system(), Optional.empty(), 10)))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("rules must be at most 10 bytes");
  }
}
