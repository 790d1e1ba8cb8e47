package io.weir.rules;

import io.weir.rule.LiveRules;
import io.weir.store.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** C5 where rules are replaced in the process, and where a file is. */
@Timeout(120)
class OneRevisionTest {
  private static final int PER_SECOND = 200;

  @Test
  void ofRulesThatAreReplaced() {
    LiveRules rules = new LiveRules(Rules.read(text(1)));
    try (OneRevision decisions = new OneRevision(rules)) {
      decisions.whileChanging("live rules", PER_SECOND, n -> rules.replace(Rules.read(text(n))));
    }
  }

  @Test
  void ofAFileThatIsLookedAtAfterEachChange(@TempDir Path folder) {
    Path file = folder.resolve("rules.yaml");
    write(file, 1);
    try (FileRules rules = new FileRules(file, Clock.system(), List.of());
        OneRevision decisions = new OneRevision(rules)) {
      decisions.whileChanging(
          "looks at a file",
          PER_SECOND,
          n -> {
            write(file, n);
            rules.look();
          });
    }
  }

  @Test
  void ofAFileThatNeverRests(@TempDir Path folder) {
    Path file = folder.resolve("rules.yaml");
    write(file, 1);
    try (FileRules rules = FileRules.open(file);
        OneRevision decisions = new OneRevision(rules)) {
      decisions.whileChanging("a watched file", PER_SECOND, n -> write(file, n));
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
