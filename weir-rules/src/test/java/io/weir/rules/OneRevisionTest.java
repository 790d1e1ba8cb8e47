package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.LiveRules;
import io.weir.store.Clock;
import io.weir.testkit.LogLines;
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

/** C5 where rules are replaced in the process, and where a file is. */
@Timeout(120)
@Tag("slow")
class OneRevisionTest {
  @Test
  @DisplayName("C5 rules replaced in the process: each decision is of one revision")
  void replaced() {
    LiveRules rules = new LiveRules(Rules.read(text(1)));
    try (OneRevision decisions = new OneRevision(rules)) {
      OneRevision.changing(n -> rules.replace(Rules.read(text(n))));
      decisions.check("live rules");
      assertThat(rules.current().revision()).as("reloads").isGreaterThan(400);
    }
  }

  @Test
  @DisplayName("C5 a file looked at after each change: each decision is of one revision")
  void looked(@TempDir Path folder) {
    Path file = folder.resolve("rules.yaml");
    write(file, 1);
    try (LogLines log = new LogLines();
        FileRules rules = new FileRules(file, Clock.system(), List.of());
        OneRevision decisions = new OneRevision(rules)) {
      OneRevision.changing(
          n -> {
            write(file, n);
            rules.look();
          });
      decisions.check("looks at a file");
      assertThat(rules.current().revision()).as("reloads").isGreaterThan(400);
      assertThat(log.lines()).noneMatch(line -> line.contains("refused"));
    }
  }

  @Test
  @DisplayName("C5 a watched file that never rests: each decision is of one revision")
  void watched(@TempDir Path folder) {
    Path file = folder.resolve("rules.yaml");
    write(file, 1);
    try (LogLines log = new LogLines();
        FileRules rules = FileRules.open(file);
        OneRevision decisions = new OneRevision(rules)) {
      OneRevision.changing(n -> write(file, n));
      decisions.check("a watched file");
      assertThat(log.lines()).noneMatch(line -> line.contains("refused"));
    }
  }

  private static String text(int version) {
    return "{\"rules\":[" + String.join(",", OneRevision.version(version)) + "]}";
  }

  private static void write(Path file, int version) {
    try {
      Path next = file.resolveSibling("next");
      Files.writeString(next, text(version));
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
