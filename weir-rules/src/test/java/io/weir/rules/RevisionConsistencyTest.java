package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.LiveRules;
import io.weir.store.Clock;
import io.weir.testkit.CapturedLogs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Decisions while rules are replaced in the process, and in a file. */
@Timeout(120)
@Tag("slow")
class RevisionConsistencyTest {
  @Test
  @DisplayName("rules replaced in the process: each decision uses one revision")
  void rulesReplacedInProcess_eachDecisionSeesOneRevision() {
    LiveRules rules = new LiveRules(Rules.read(rulesText(1)));
    try (RevisionConsistencyLoad decisions = new RevisionConsistencyLoad(rules)) {
      RevisionConsistencyLoad.changeRepeatedly(n -> rules.replace(Rules.read(rulesText(n))));
      decisions.finishAndCheck("live rules");
      assertThat(rules.current().revision()).as("reloads").isGreaterThan(400);
    }
  }

  @Test
  @DisplayName("a file checked after each change: each decision uses one revision")
  void fileCheckedAfterEachChange_eachDecisionSeesOneRevision(@TempDir Path folder) {
    Path file = folder.resolve("rules.yaml");
    writeVersion(file, 1);
    try (CapturedLogs log = new CapturedLogs();
        FileRules rules = new FileRules(file, Clock.system(), List.of());
        RevisionConsistencyLoad decisions = new RevisionConsistencyLoad(rules)) {
      RevisionConsistencyLoad.changeRepeatedly(
          n -> {
            writeVersion(file, n);
            rules.checkFile();
          });
      decisions.finishAndCheck("a checked file");
      assertThat(rules.current().revision()).as("reloads").isGreaterThan(400);
      assertThat(log.lines()).noneMatch(line -> line.contains("rejected"));
    }
  }

  @Test
  @DisplayName("a watched file that changes all the time: each decision uses one revision")
  void watchedFile_eachDecisionSeesOneRevision(@TempDir Path folder) {
    Path file = folder.resolve("rules.yaml");
    writeVersion(file, 1);
    try (CapturedLogs log = new CapturedLogs();
        FileRules rules = FileRules.open(file);
        RevisionConsistencyLoad decisions = new RevisionConsistencyLoad(rules)) {
      RevisionConsistencyLoad.changeRepeatedly(n -> writeVersion(file, n));
      decisions.finishAndCheck("a watched file");
      assertThat(log.lines()).noneMatch(line -> line.contains("rejected"));
    }
  }

  private static String rulesText(int version) {
    return "{\"rules\":["
        + String.join(",", RevisionConsistencyLoad.rulesOfVersion(version))
        + "]}";
  }

  private static void writeVersion(Path file, int version) {
    try {
      Path next = file.resolveSibling("next");
      Files.writeString(next, rulesText(version));
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
