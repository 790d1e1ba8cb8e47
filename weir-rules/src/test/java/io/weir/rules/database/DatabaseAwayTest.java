package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.testkit.Soon;
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

/** A13: PostgreSQL frozen and killed, and away at the start. */
@Timeout(120)
@Tag("slow")
class DatabaseAwayTest extends DatabaseTest {
  private static final Duration BACK = Duration.ofSeconds(20);

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
      "A13 PostgreSQL frozen: the last good rules serve, the staleness rises, it recovers by itself")
  void frozenTheLastGoodRulesServeAndItRecoversByItself() {
    DatabaseRules node = node();
    node.put(rule("api", 1_000_000), "ann", 0);
    NewKey key = node.keys().create("acme", "pro", "ann");
    postgres.freeze();
    try {
      servesStale(node, key);
      assertThatThrownBy(() -> node.put(rule("api", 2), "ann", node.revision("api")))
          .isInstanceOf(DatabaseException.class);
    } finally {
      postgres.thaw();
    }
    Soon.until(BACK, "it is in step again", () -> node.stale().isZero());
    node.put(rule("api", 3), "ann", node.revision("api"));
  }

  @Test
  @DisplayName("A13 PostgreSQL killed: the last good rules serve, after a restart changes arrive")
  void killedTheLastGoodRulesServeAndAfterARestartChangesArrive() {
    DatabaseRules node = node();
    DatabaseRules other = node();
    node.put(rule("api", 1_000_000), "ann", 0);
    NewKey key = node.keys().create("acme", "pro", "ann");
    Soon.until(SOON, "it is there", () -> other.revision("api") == node.revision("api"));
    postgres.kill();
    try {
      servesStale(node, key);
    } finally {
      postgres.restart();
    }
    Soon.until(BACK, "both are in step", () -> node.stale().isZero() && other.stale().isZero());
    long revision = node.put(rule("api", 3), "ann", node.revision("api"));
    Soon.until(SOON, "it is there", () -> other.revision("api") == revision);
  }

  @Test
  @DisplayName("A13 PostgreSQL away at the start: the copy serves until it is back")
  void awayAtTheStartTheCopyServesUntilItIsBack() throws Exception {
    Path copy = folder.resolve("kept/rules.copy");
    NewKey key;
    NewKey revoked;
    try (DatabaseRules node = DatabaseRules.open(url, copy)) {
      node.put(rule("api", 7), "ann", 0);
      key = node.keys().create("a cmé\n", "", "ann");
      revoked = node.keys().create("acme", "", "ann");
      node.keys().revoke(revoked.id());
    }
    postgres.kill();
    assertThatThrownBy(this::node)
        .isInstanceOf(DatabaseException.class)
        .hasMessageStartingWith("jdbc:postgresql://")
        .hasMessageNotContaining("\n");
    assertThatThrownBy(() -> DatabaseRules.open(url, folder.resolve("none")))
        .hasMessageContaining("there is no copy of the rules at " + folder.resolve("none"));
    Path torn = Files.writeString(folder.resolve("torn"), "weir-copy-3 3 1 0\nabc");
    assertThatThrownBy(() -> DatabaseRules.open(url, torn)).hasMessageContaining("not whole");
    DatabaseRules node = opened(DatabaseRules.open(url, copy));
    assertThat(node.current().rules()).containsExactly(rule("api", 7));
    assertThat(node.keys().verify(key.secret()).map(Caller::user)).contains("a cmé\n");
    assertThat(node.keys().verify(revoked.secret())).isEmpty();
    Soon.until(BACK, "it is stale", () -> !node.stale().isZero());
    postgres.restart();
    Soon.until(BACK, "it is in step", () -> node.stale().isZero());
    node.put(rule("api", 8), "ann", node.revision("api"));
    Soon.until(BACK, "no half copy is left", () -> isAlone(copy));
  }

  private static boolean isAlone(Path copy) {
    try (var files = Files.list(copy.getParent())) {
      return files.toList().equals(List.of(copy));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void servesStale(DatabaseRules node, NewKey key) {
    Limiter limiter = Weir.inMemory(node);
    Soon.until(
        BACK,
        "it is stale for four seconds",
        () -> {
          Duration took =
              Took.by(() -> assertThat(limiter.decideNow(Request.of("user", "1"))).isNotNull());
          assertThat(took).isLessThan(Duration.ofSeconds(1));
          assertThat(node.keys().verify(key.secret())).isPresent();
          assertThat(node.current().rule("api")).isEqualTo(rule("api", 1_000_000));
          return node.stale().compareTo(Duration.ofSeconds(4)) > 0;
        });
  }
}
