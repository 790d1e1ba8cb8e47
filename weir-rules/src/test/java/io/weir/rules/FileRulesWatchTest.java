package io.weir.rules;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Soon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real directory, changed in all the ways that editors and deployments have. */
class FileRulesWatchTest {
  private static final Duration MOST = Duration.ofSeconds(30);

  /** Five times what is promised, for machines that are busy elsewhere. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private final Heard heard = new Heard();
  private final Path folder;

  FileRulesWatchTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void followsWritingRenamingAndRemoving() throws IOException {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, text(1));
    try (FileRules rules = FileRules.open(file, heard)) {
      Files.writeString(file, text(2));
      expect(rules, 2, "written in place");

      Files.writeString(folder.resolve("rules.yaml.tmp"), text(3));
      Files.move(folder.resolve("rules.yaml.tmp"), file, ATOMIC_MOVE);
      expect(rules, 3, "renamed over");

      Files.move(file, folder.resolve("rules.yaml~"));
      Files.writeString(file, text(4));
      expect(rules, 4, "the old one moved away, as vim does");

      Files.delete(file);
      goneIsTold();
      assertThat(rules.current().rules()).hasSize(4);
      Files.writeString(file, text(5));
      expect(rules, 5, "back again");
      Soon.until(MOST, "in step", () -> rules.stale().isZero());
    }
  }

  @Test
  void followsTheLinksOfAConfigMap() throws IOException {
    Path file = folder.resolve("rules.yaml");
    turn("..2026_01", text(1));
    Files.createSymbolicLink(file, Path.of("..data", "rules.yaml"));
    try (FileRules rules = FileRules.open(file, heard)) {
      turn("..2026_02", text(2));
      expect(rules, 2, "..data turned");
      turn("..2026_03", text(3));
      expect(rules, 3, "..data turned again");
    }
  }

  @Test
  void whatIsNotToldIsFoundByLooking() throws IOException {
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Path here = Files.createDirectory(folder.resolve("here"));
    Files.writeString(elsewhere.resolve("real.yaml"), text(1));
    Path link =
        Files.createSymbolicLink(here.resolve("rules.yaml"), elsewhere.resolve("real.yaml"));
    try (FileRules rules = FileRules.open(link, heard)) {
      Files.writeString(elsewhere.resolve("real.yaml"), text(2));
      Soon.until(MOST, "found in another directory", () -> rules.current().rules().size() == 2);
    }
  }

  @Test
  void aDirectoryMadeAnewIsWatchedAnew() throws IOException {
    Path inner = Files.createDirectory(folder.resolve("inner"));
    Path file = inner.resolve("rules.yaml");
    Files.writeString(file, text(1));
    try (FileRules rules = FileRules.open(file, heard)) {
      Files.delete(file);
      Files.delete(inner);
      goneIsTold();
      Files.createDirectory(inner);
      Files.writeString(file, text(2));
      expect(rules, 2, "made anew");
    }
  }

  @Test
  void aFileWrittenInPiecesIsSeenWhole() throws IOException {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, text(1));
    try (FileRules rules = FileRules.open(file, heard)) {
      Files.writeString(file, "");
      for (String piece : text(3).split("(?<=\n)", -1)) {
        Files.writeString(file, piece, StandardOpenOption.APPEND);
      }
      expect(rules, 3, "written in pieces");
    }
  }

  @Test
  void closedItStandsStill() throws IOException {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, text(1));
    FileRules rules = FileRules.open(file, heard);
    rules.close();
    rules.close();
    try (FileRules open = FileRules.open(file)) {
      Files.writeString(file, text(2));
      expect(open, 2, "seen by one that is open");
      Files.writeString(file, text(3));
      expect(open, 3, "and again");
    }
    assertThat(rules.current().rules()).hasSize(1);
  }

  private void goneIsTold() {
    Soon.until(
        MOST,
        "gone is told",
        () -> heard.rejections.stream().anyMatch(reason -> reason.contains("does not exist")));
  }

  private static void expect(FileRules rules, int size, String what) {
    Duration took = Soon.until(MOST, what, () -> rules.current().rules().size() == size);
    System.out.println(what + ": in force after " + took.toMillis() + " ms");
    assertThat(took).as(what).isLessThan(SOON);
  }

  /** Points {@code ..data} at a new directory, as Kubernetes does. */
  private void turn(String name, String text) throws IOException {
    Path directory = Files.createDirectory(folder.resolve(name));
    Files.writeString(directory.resolve("rules.yaml"), text);
    Path link = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of(name));
    Files.move(link, folder.resolve("..data"), ATOMIC_MOVE);
  }

  /** So many rules. */
  private static String text(int rules) {
    StringBuilder text = new StringBuilder("rules:\n");
    for (int i = 0; i < rules; i++) {
      text.append("  - {id: r-" + i + ", limit: 10/s}\n");
    }
    return text.toString();
  }
}
