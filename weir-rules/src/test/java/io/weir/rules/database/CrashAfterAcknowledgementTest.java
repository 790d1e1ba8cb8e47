package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Await;
import io.weir.testkit.ChildJvm;
import io.weir.testkit.postgres.PostgresProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An acknowledged change survives kill -9 of the node and of the database completely. {@code
 * -Dweir.kill.rounds=200} makes the test long.
 */
@Tag("slow")
class CrashAfterAcknowledgementTest {
  private static final int ROUNDS = Integer.getInteger("weir.kill.rounds", 8);
  private static final long SEED = Long.getLong("weir.kill.seed", 29);
  private static final int MAX_DELAY_MICROS = 50_000;

  private final Random random = new Random(SEED);
  private long acknowledged;
  private long total;

  @Test
  @DisplayName("H2: kill -9 within 50 ms after an acknowledgement loses no acknowledged change")
  void h2KilledAfterAcknowledgement_losesNoChange(@TempDir Path folder) {
    String url = "jdbc:h2:file:" + folder.resolve("rules");
    for (int round = 0; round < ROUNDS; round++) {
      changeAndKill(url, () -> {});
    }
    restartOnceMore(url);
  }

  @Test
  @DisplayName("PostgreSQL killed with the node: no acknowledged change is lost")
  void postgresKilledAfterAcknowledgement_losesNoChange() {
    try (PostgresProcess postgres = PostgresProcess.start()) {
      String url = postgres.newDatabase();
      for (int round = 0; round < ROUNDS; round++) {
        changeAndKill(url, postgres::kill);
        postgres.restart();
      }
      restartOnceMore(url);
    }
  }

  private void changeAndKill(String url, Runnable alsoKill) {
    try (ChildJvm node = ChildJvm.start(RuleChangingProcess.class, List.of("-Xmx64m"), url)) {
      assertAcknowledgedChangeSurvived(node);
      recordAcknowledged(node.await(RuleChangingProcess.ACKNOWLEDGED));
      Await.sleep(Duration.ofNanos(random.nextInt(MAX_DELAY_MICROS) * 1000L));
      alsoKill.run();
      node.kill();
      String line;
      while ((line = node.line()) != null) {
        if (line.startsWith(RuleChangingProcess.ACKNOWLEDGED)) {
          recordAcknowledged(line.substring(RuleChangingProcess.ACKNOWLEDGED.length()));
        }
      }
    }
  }

  private void recordAcknowledged(String permits) {
    acknowledged = Long.parseLong(permits);
    total++;
  }

  private void assertAcknowledgedChangeSurvived(ChildJvm node) {
    long found = Long.parseLong(node.await(RuleChangingProcess.FOUND));
    assertThat(found)
        .as("the last acknowledged change, or one in progress")
        .isBetween(acknowledged, acknowledged + 1);
  }

  private void restartOnceMore(String url) {
    try (ChildJvm node = ChildJvm.start(RuleChangingProcess.class, List.of("-Xmx64m"), url)) {
      assertAcknowledgedChangeSurvived(node);
    }
    System.out.printf(
        "%s: %d kills, %d acknowledged changes, none lost (seed %d)%n",
        Database.withoutCredentials(url), ROUNDS, total, SEED);
  }
}
