package io.weir.rules;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real directory, changed in all the ways of editors and deployments. */
class FileRulesWatchTest {
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  /** Five times the promised delay, to allow for busy machines. */
  private static final Duration MAX_DELAY = Duration.ofSeconds(10);

  private final RecordingRulesListener listener = new RecordingRulesListener();
  private final Path folder;

  FileRulesWatchTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void writeRenameAndDelete_areDetected() throws IOException {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, rulesText(1));
    try (FileRules rules = FileRules.open(file, listener)) {
      Files.writeString(file, rulesText(2));
      assertRuleCount(rules, 2, "written in place");

      Files.writeString(folder.resolve("rules.yaml.tmp"), rulesText(3));
      Files.move(folder.resolve("rules.yaml.tmp"), file, ATOMIC_MOVE);
      assertRuleCount(rules, 3, "renamed over");

      Files.move(file, folder.resolve("rules.yaml~"));
      Files.writeString(file, rulesText(4));
      assertRuleCount(rules, 4, "the old one moved away, as vim does");

      Files.delete(file);
      awaitDeletionReported();
      assertThat(rules.current().rules()).hasSize(4);
      Files.writeString(file, rulesText(5));
      assertRuleCount(rules, 5, "back again");
      Await.until(MAX_WAIT, "up to date", () -> rules.staleness().isZero());
    }
  }

  @Test
  void configMapLinkSwap_isDetected() throws IOException {
    Path file = folder.resolve("rules.yaml");
    swapDataLink("..2026_01", rulesText(1));
    Files.createSymbolicLink(file, Path.of("..data", "rules.yaml"));
    try (FileRules rules = FileRules.open(file, listener)) {
      swapDataLink("..2026_02", rulesText(2));
      assertRuleCount(rules, 2, "..data swapped");
      swapDataLink("..2026_03", rulesText(3));
      assertRuleCount(rules, 3, "..data swapped again");
    }
  }

  @Test
  void changeWithoutEvent_isFoundByPolling() throws IOException {
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Path here = Files.createDirectory(folder.resolve("here"));
    Files.writeString(elsewhere.resolve("real.yaml"), rulesText(1));
    Path link =
        Files.createSymbolicLink(here.resolve("rules.yaml"), elsewhere.resolve("real.yaml"));
    try (FileRules rules = FileRules.open(link, listener)) {
      Files.writeString(elsewhere.resolve("real.yaml"), rulesText(2));
      Await.until(
          MAX_WAIT, "found in another directory", () -> rules.current().rules().size() == 2);
    }
  }

  @Test
  void recreatedDirectory_isWatchedAgain() throws IOException {
    Path inner = Files.createDirectory(folder.resolve("inner"));
    Path file = inner.resolve("rules.yaml");
    Files.writeString(file, rulesText(1));
    try (FileRules rules = FileRules.open(file, listener)) {
      Files.delete(file);
      Files.delete(inner);
      awaitDeletionReported();
      Files.createDirectory(inner);
      Files.writeString(file, rulesText(2));
      assertRuleCount(rules, 2, "created again");
    }
  }

  @Test
  void fileWrittenInPieces_isReadWhole() throws IOException {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, rulesText(1));
    try (FileRules rules = FileRules.open(file, listener)) {
      Files.writeString(file, "");
      for (String piece : rulesText(3).split("(?<=\n)", -1)) {
        Files.writeString(file, piece, StandardOpenOption.APPEND);
      }
      assertRuleCount(rules, 3, "written in pieces");
    }
  }

  @Test
  void closedSource_stopsReloading() throws IOException {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, rulesText(1));
    FileRules rules = FileRules.open(file, listener);
    rules.close();
    rules.close();
    try (FileRules open = FileRules.open(file)) {
      Files.writeString(file, rulesText(2));
      assertRuleCount(open, 2, "seen by an open source");
      Files.writeString(file, rulesText(3));
      assertRuleCount(open, 3, "and again");
    }
    assertThat(rules.current().rules()).hasSize(1);
  }

  private void awaitDeletionReported() {
    Await.until(
        MAX_WAIT,
        "the deletion is reported",
        () -> listener.rejections.stream().anyMatch(reason -> reason.contains("does not exist")));
  }

  private static void assertRuleCount(FileRules rules, int size, String what) {
    Duration took = Await.until(MAX_WAIT, what, () -> rules.current().rules().size() == size);
    System.out.println(what + ": in force after " + took.toMillis() + " ms");
    assertThat(took).as(what).isLessThan(MAX_DELAY);
  }

  /** Points {@code ..data} at a new directory, as Kubernetes does. */
  private void swapDataLink(String name, String text) throws IOException {
    Path directory = Files.createDirectory(folder.resolve(name));
    Files.writeString(directory.resolve("rules.yaml"), text);
    Path link = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of(name));
    Files.move(link, folder.resolve("..data"), ATOMIC_MOVE);
  }

  /** Returns a text with a number of rules. */
  private static String rulesText(int rules) {
    StringBuilder text = new StringBuilder("rules:\n");
    for (int i = 0; i < rules; i++) {
      text.append("  - {id: r-" + i + ", limit: 10/s}\n");
    }
    return text.toString();
  }
}
