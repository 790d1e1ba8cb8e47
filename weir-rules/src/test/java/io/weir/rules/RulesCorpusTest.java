package io.weir.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.store.Clock;
import io.weir.testkit.CapturedLogs;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each file in {@code bad} is rejected with the message in its .txt file; those in good are read.
 */
class RulesCorpusTest {
  private static final String ADVICE_PATTERN =
      "[Mm]ust |[Ww]rite |leave it out|keep one|; add |remove it|; use |repeat the|save the file";

  static List<Path> bad() throws Exception {
    return files("bad").filter(file -> !file.toString().endsWith(".txt")).toList();
  }

  static List<Path> good() throws Exception {
    return files("good").toList();
  }

  @ParameterizedTest
  @MethodSource("bad")
  void badFile_isRejectedWithExpectedMessage(Path file) throws Exception {
    Path message = Path.of(file.toString().replaceFirst("\\.[a-z]+$", ".txt"));
    assertThat(message).as("expected message of %s", file.getFileName()).exists();
    InvalidConfigurationException rejected =
        catchThrowableOfType(InvalidConfigurationException.class, () -> read(file));
    assertThat(rejected).as("%s is rejected", file.getFileName()).isNotNull();
    String expected = Files.readString(message, UTF_8).stripTrailing();
    assertThat(rejected).hasMessage(expected);
    assertThat(rejected.problems())
        .hasSize((int) expected.lines().count())
        .allSatisfy(problem -> assertThat(problem.reason()).containsPattern(ADVICE_PATTERN));
  }

  @Test
  @DisplayName("a bad file written over good rules changes nothing")
  void badFileOverGoodRules_changesNothing(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("rules.yaml"), "rules: [{id: a, limit: 1/h}]");
    RecordingRulesListener heard = new RecordingRulesListener();
    try (CapturedLogs quiet = new CapturedLogs();
        FileRules rules = new FileRules(file, Clock.system(), List.of(heard))) {
      RuleSet good = rules.current();
      for (Path bad : bad()) {
        // atomically, or the watcher may read a part of it
        Path next = Files.copy(bad, folder.resolve("next"));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        rules.checkFile();
        assertThat(rules.current()).as("%s", bad).isSameAs(good);
        String last = heard.rejections.get(heard.rejections.size() - 1);
        assertThat(last).as("%s", bad).startsWith(file + ":");
      }
      assertThat(heard.rejections).hasSameSizeAs(bad()).hasSameSizeAs(quiet.lines());
    }
  }

  @Test
  void everyExpectedMessage_hasItsBadFile() throws Exception {
    assertThat(bad()).hasSizeGreaterThan(150);
    assertThat(files("bad").filter(file -> file.toString().endsWith(".txt")).count())
        .isEqualTo(bad().size());
  }

  @ParameterizedTest
  @MethodSource("good")
  void goodFile_survivesRoundTrip(Path file) throws Exception {
    List<Rule> rules = read(file);
    assertThat(Rules.read(Rules.toYaml(rules))).isEqualTo(rules);
    assertThat(Rules.read(Rules.toJson(rules))).isEqualTo(rules);
  }

  private static List<Rule> read(Path file) throws IOException {
    return Rules.read(String.valueOf(file.getFileName()), Files.readAllBytes(file));
  }

  private static Stream<Path> files(String folder) throws IOException, URISyntaxException {
    Path path = Path.of(Objects.requireNonNull(RulesCorpusTest.class.getResource(folder)).toURI());
    try (Stream<Path> files = Files.list(path)) {
      return files.sorted().toList().stream();
    }
  }
}
