package io.weir.rules;

import static io.weir.testkit.DecisionAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.testkit.CapturedLogs;
import io.weir.testkit.FakeClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Valid changes of a file apply, invalid ones do not; the test triggers each check, with a fake
 * clock.
 */
class FileRulesTest {
  private static final long MAX_BYTES = 1 << 20;
  private static final String API = "  - {id: api, per: [user], limit: 10/hour}\n";
  private static final String WEB = "  - {id: web, per: [ip], limit: 5/hour}\n";

  private final FakeClock clock = new FakeClock();
  private final RecordingRulesListener listener = new RecordingRulesListener();
  private final Path folder;
  private final Path file;

  FileRulesTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    file = folder.resolve("rules.yaml");
    write(API, WEB);
  }

  @Test
  void changedFile_becomesNextRevision() throws IOException {
    try (FileRules rules = open()) {
      assertThat(rules.current().revision()).isEqualTo(1);
      RuleSet first = rules.current();
      write(API, WEB.replace("5/hour", "6/hour"));
      rules.checkFile();
      assertThat(rules.current().revision()).isEqualTo(2);
      assertThat(rules.current().rule("api")).isSameAs(first.rule("api"));
      assertThat(ruleOf(rules, "web").rates()).hasToString("[6/hour]");
      assertThat(listener.revisions).containsExactly(2L);
      assertThat(rules.staleness()).isZero();
    }
  }

  @Test
  void touchedOrCommentedFile_keepsRevision() throws IOException {
    try (FileRules rules = open()) {
      RuleSet first = rules.current();
      write(API, WEB);
      rules.checkFile();
      write(API, "# a comment\n", WEB);
      rules.checkFile();
      assertThat(rules.current()).isSameAs(first);
      assertThat(listener.revisions).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "rules:", "rules: [{id: api, limt: 10}]", "rules: [{id: api", "\0"})
  @DisplayName("a blank, null, truncated or misspelled file is rejected, the last good rules stay")
  void badChange_isRejectedAndLastGoodRulesStay(String bad) throws IOException {
    try (CapturedLogs log = new CapturedLogs();
        FileRules rules = open()) {
      RuleSet first = rules.current();
      Files.writeString(file, bad);
      for (int i = 0; i < 5; i++) {
        rules.checkFile();
      }
      assertThat(rules.current()).isSameAs(first);
      assertThat(listener.rejections).hasSize(1).first().asString().startsWith(file + ":");
      clock.advance(Duration.ofSeconds(7));
      assertThat(rules.staleness()).isEqualTo(Duration.ofSeconds(7));
      Files.writeString(file, bad + " ]");
      rules.checkFile();
      clock.advance(Duration.ofSeconds(1));
      assertThat(rules.staleness())
          .as("counts from the first bad change")
          .isEqualTo(Duration.ofSeconds(8));
      write(API, WEB);
      rules.checkFile();
      assertThat(rules.staleness()).isZero();
      assertThat(rules.current()).as("the rules in force all along").isSameAs(first);
      assertThat(log.lines()).last().isEqualTo(file + ": valid again, revision 1 is in force");
    }
  }

  @Test
  void deletedFile_isReportedOnceAndRulesStay() throws IOException {
    try (FileRules rules = open()) {
      Files.delete(file);
      rules.checkFile();
      rules.checkFile();
      assertThat(listener.rejections)
          .containsExactly(file + ": does not exist; create it or correct the path");
      clock.advance(Duration.ofMinutes(1));
      assertThat(rules.staleness()).isEqualTo(Duration.ofMinutes(1));
      assertThat(rules.current().rules()).hasSize(2);
      write(API);
      rules.checkFile();
      assertThat(rules.staleness()).isZero();
      assertThat(rules.current().rules()).hasSize(1);
    }
  }

  @Test
  void badFileAtStart_throwsWithAllProblems() throws IOException {
    write("  - {id: api, limt: 10}\n", "  - {id: web, limit: -1/s}\n");
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            InvalidConfigurationException.class, e -> assertThat(e.problems()).hasSize(2))
        .hasMessageContaining(file + ":2:15: api: limt: is not a field; did you mean limit?");
    Files.delete(file);
    assertThatThrownBy(this::open)
        .hasMessage(file + ": does not exist; create it or correct the path");
    Files.createDirectory(file);
    assertThatThrownBy(this::open)
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessage(file + ": must be a regular file (was a folder)");
  }

  @Test
  void addressWithFileScheme_isOpened() {
    for (String address : List.of("file:" + file, "file://" + file, file.toString())) {
      try (FileRules rules = FileRules.open(address)) {
        assertThat(rules.current().rules()).as(address).hasSize(2);
      }
    }
  }

  @Test
  void failingListener_doesNotAffectOthers() throws IOException {
    RulesListener failing =
        new RulesListener() {
          @Override
          public void changed(RuleSet now) {
            throw new IllegalStateException("on purpose");
          }
        };
    try (FileRules rules = new FileRules(file, clock, MAX_BYTES, List.of(failing, listener))) {
      write(API);
      rules.checkFile();
      assertThat(listener.revisions).containsExactly(2L);
    }
  }

  @Test
  @DisplayName("an unrelated edit or another order resets no counter")
  void unrelatedEditsAndReordering_keepCounters() throws IOException {
    try (FileRules rules = open()) {
      Limiter limiter = Weir.limiter(rules).clock(clock).build();
      Request user = Request.of("user", "42");
      assertThat(limiter.decideNow(user)).isAllowed().hasRemaining(9);
      write(API, WEB.replace("5/hour", "50/hour"));
      rules.checkFile();
      assertThat(limiter.decideNow(user)).isAllowed().hasRemaining(8);
      write(WEB, "  - {id: new, per: [user], limit: 100/minute}\n", API);
      rules.checkFile();
      assertThat(limiter.decideNow(user)).isAllowed().hasRemaining(7);
      write(API);
      rules.checkFile();
      assertThat(limiter.decideNow(user)).isAllowed().hasRemaining(6);
      assertThat(rules.current().revision()).isEqualTo(4);
    }
  }

  @Test
  @DisplayName("a limit raised while refused admits at once")
  void limitRaisedWhileRefused_admitsAtOnce() throws IOException {
    try (FileRules rules = open()) {
      Limiter limiter = Weir.limiter(rules).clock(clock).build();
      Request user = Request.of("user", "42");
      limiter.decideNow(user.cost(10));
      assertThat(limiter.decideNow(user)).isRefused();
      write(API.replace("10/hour", "1000/hour"), WEB);
      rules.checkFile();
      assertThat(limiter.decideNow(user)).isAllowed().hasRemaining(989);
    }
  }

  private FileRules open() {
    return new FileRules(file, clock, MAX_BYTES, List.of(listener));
  }

  private static Rule ruleOf(FileRules rules, String id) {
    return Objects.requireNonNull(rules.current().rule(id));
  }

  private void write(String... rules) throws IOException {
    Path other = folder.resolve("other");
    Files.writeString(other, "rules:\n" + String.join("", rules));
    Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
