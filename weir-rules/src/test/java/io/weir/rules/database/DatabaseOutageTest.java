package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.testkit.Await;
import io.weir.testkit.postgres.PostgresProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** PostgreSQL frozen, killed, and unavailable at the start. */
@Timeout(120)
@Tag("slow")
class DatabaseOutageTest extends DatabaseTestBase {
  private static final Duration MAX_RECOVERY = Duration.ofSeconds(20);

  @SuppressWarnings("NullAway.Init")
  private PostgresProcess postgres;

  @SuppressWarnings("NullAway.Init")
  @TempDir
  Path folder;

  private String url = "";

  @BeforeEach
  void start() {
    postgres = PostgresProcess.start();
    url = postgres.newDatabase();
  }

  @AfterEach
  void stop() {
    postgres.close();
  }

  @Override
  String url() {
    return url;
  }

  @Test
  @DisplayName(
      "PostgreSQL frozen: the last good rules stay, staleness rises, and the node recovers")
  void frozenDatabase_lastGoodRulesServeUntilRecovery() {
    DatabaseRules node = openNode();
    node.put(rule("api", 1_000_000), "ann", 0);
    NewApiKey key = node.keys().create("acme", "pro", "ann");
    postgres.freeze();
    try {
      assertServesStaleRules(node, key);
      assertThatThrownBy(() -> node.put(rule("api", 2), "ann", node.revision("api")))
          .isInstanceOf(DatabaseException.class);
    } finally {
      postgres.thaw();
    }
    Await.until(MAX_RECOVERY, "the rules to be up to date again", () -> node.staleness().isZero());
    node.put(rule("api", 3), "ann", node.revision("api"));
  }

  @Test
  @DisplayName("PostgreSQL killed: the last good rules stay, and changes arrive after a restart")
  void killedDatabase_lastGoodRulesServeUntilRestart() {
    DatabaseRules node = openNode();
    DatabaseRules other = openNode();
    node.put(rule("api", 1_000_000), "ann", 0);
    NewApiKey key = node.keys().create("acme", "pro", "ann");
    Await.until(
        MAX_DELAY,
        "the change on the other node",
        () -> other.revision("api") == node.revision("api"));
    postgres.kill();
    try {
      assertServesStaleRules(node, key);
    } finally {
      postgres.restart();
    }
    Await.until(
        MAX_RECOVERY,
        "both nodes to be up to date",
        () -> node.staleness().isZero() && other.staleness().isZero());
    long revision = node.put(rule("api", 3), "ann", node.revision("api"));
    Await.until(MAX_DELAY, "the change on the other node", () -> other.revision("api") == revision);
  }

  @Test
  @DisplayName("PostgreSQL unavailable at the start: the backup is used until it is back")
  void databaseDownAtStart_backupServesUntilRecovery() throws Exception {
    Path copy = folder.resolve("data/rules.copy");
    NewApiKey key;
    NewApiKey revoked;
    try (DatabaseRules node = DatabaseRules.open(url, copy)) {
      node.put(rule("api", 7), "ann", 0);
      key = node.keys().create("a cmé\n", "", "ann");
      revoked = node.keys().create("acme", "", "ann");
      node.keys().revoke(revoked.id());
    }
    postgres.kill();
    assertThatThrownBy(this::openNode)
        .isInstanceOf(DatabaseException.class)
        .hasMessageStartingWith("jdbc:postgresql://")
        .hasMessageNotContaining("\n");
    assertThatThrownBy(() -> DatabaseRules.open(url, folder.resolve("none")))
        .hasMessageContaining("there is no backup of the rules at " + folder.resolve("none"));
    Path truncated = Files.writeString(folder.resolve("truncated"), "weir-copy-3 3 1 0\nabc");
    assertThatThrownBy(() -> DatabaseRules.open(url, truncated)).hasMessageContaining("incomplete");
    DatabaseRules node = closeAfterTest(DatabaseRules.open(url, copy));
    assertThat(node.current().rules()).containsExactly(rule("api", 7));
    assertThat(node.keys().verify(key.secret()).map(ApiKeyOwner::user)).contains("a cmé\n");
    assertThat(node.keys().verify(revoked.secret())).isEmpty();
    Await.until(MAX_RECOVERY, "stale rules", () -> !node.staleness().isZero());
    postgres.restart();
    Await.until(MAX_RECOVERY, "the rules to be up to date", () -> node.staleness().isZero());
    node.put(rule("api", 8), "ann", node.revision("api"));
    Await.until(MAX_RECOVERY, "no temporary backup file", () -> isOnlyFile(copy));
  }

  private static boolean isOnlyFile(Path copy) {
    try (var files = Files.list(copy.getParent())) {
      return files.toList().equals(List.of(copy));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertServesStaleRules(DatabaseRules node, NewApiKey key) {
    Limiter limiter = Weir.inMemory(node);
    Await.until(
        MAX_RECOVERY,
        "rules that are stale for four seconds",
        () -> {
          Duration took =
              ElapsedTime.of(
                  () -> assertThat(limiter.decideNow(Request.of("user", "1"))).isNotNull());
          assertThat(took).isLessThan(Duration.ofSeconds(1));
          assertThat(node.keys().verify(key.secret())).isPresent();
          assertThat(node.current().rule("api")).isEqualTo(rule("api", 1_000_000));
          return node.staleness().compareTo(Duration.ofSeconds(4)) > 0;
        });
  }
}
