package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.internal.background.BackgroundTasks;
import io.weir.internal.background.TaskStatus;
import io.weir.store.Clock;
import io.weir.testkit.Await;
import io.weir.testkit.CapturedLogs;
import io.weir.testkit.ChildJvm;
import io.weir.testkit.ToolRequirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules files that cannot be read completely: the watcher survives, and a good edit applies. */
@Timeout(180)
class UnreadableFileTest {
  /** Five times the promised delay, to allow for busy machines. */
  private static final Duration MAX_DELAY = Duration.ofSeconds(10);

  private static final Duration PROMISED_DELAY = Duration.ofSeconds(2);

  private static final String ONE_RULE = "rules: [{id: api, limit: 1/s}]";
  private static final String TWO_RULES = "rules: [{id: api, limit: 1/s}, {id: web, limit: 1/s}]";

  private final Path folder;
  private final Path file;
  private final RecordingRulesListener listener = new RecordingRulesListener();

  UnreadableFileTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    file = Files.writeString(folder.resolve("rules.yaml"), ONE_RULE);
  }

  @Test
  void linkToEndlessDevice_isRejectedAndGoodEditApplies() throws IOException {
    Path device = Path.of("/dev/zero");
    assumeTrue(Files.exists(device), "this system has no /dev/zero");
    assertRejectedThenRecovers(
        () -> Files.createSymbolicLink(file, device), "must be a regular file");
  }

  @Test
  void fifo_isRejectedAndGoodEditApplies() throws IOException {
    assertRejectedThenRecovers(
        this::makeFifo, "must be a regular file (was a pipe, socket or device)");
  }

  @Test
  void tooLargeFile_isRejectedWithLimitAndGoodEditApplies() throws IOException {
    assertRejectedThenRecovers(
        () -> Files.writeString(file, ONE_RULE + " ".repeat(5000)),
        "rules must be at most 4096 bytes (was at least 5030)");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 4096, 65_536, 200_000})
  void fileGrowingWhileRead_isBounded(long size) throws IOException {
    Path endless = Path.of("/proc/self/maps"); // a regular file that reports size 0
    assumeTrue(Files.exists(endless), "this system has no /proc");
    long real = Files.readAllBytes(endless).length;
    FileContent content = FileContent.of(endless, size);
    FileContent.FileIdentity identity = FileContent.identify(endless, size);
    assertThat(content.identity().failure().isEmpty()).isEqualTo(real <= size);
    assertThat(identity.failure().isEmpty()).isEqualTo(real <= size);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "67108864"})
  @DisplayName("300,000 rules with a small heap are rejected, by size or for lack of memory")
  void moreRulesThanHeapHolds_areRejectedAndGoodEditApplies(String maxBytes) throws IOException {
    StringBuilder text = new StringBuilder("rules:\n");
    for (int i = 0; i < 300_000; i++) {
      text.append("  - {id: r-" + i + ", match: {endpoint: \"GET /v1/orders/" + i + "/**\"},");
      text.append(" per: [user], limit: 100/minute}\n");
    }
    Path large = Files.writeString(folder.resolve("large.yaml"), text);
    try (ChildJvm node =
        ChildJvm.start(
            SmallHeapProcess.class,
            List.of("-Xmx128m"),
            file.toString(),
            large.toString(),
            maxBytes)) {
      assertThat(node.await("rejected "))
          .startsWith(file + ": ")
          .contains(maxBytes.isEmpty() ? "rules must be at most" : "OutOfMemoryError");
      assertThat(node.await("rules ")).isEqualTo("1");
      assertThat(Long.parseLong(node.await("applied "))).isLessThan(PROMISED_DELAY.toMillis());
    }
  }

  @Test
  void checkFailingWithError_isCountedAndGoodEditApplies() throws IOException {
    AtomicReference<Error> planted = new AtomicReference<>(new OutOfMemoryError("on purpose"));
    long before = BackgroundTasks.failures("rules-file");
    try (CapturedLogs log = new CapturedLogs();
        FileRules rules = new FileRules(file, new FailingClock(planted), List.of(listener))) {
      Await.until(
          MAX_DELAY, "a round failed", () -> BackgroundTasks.failures("rules-file") > before);
      planted.set(new StackOverflowError());
      Await.until(
          MAX_DELAY, "more failed", () -> BackgroundTasks.failures("rules-file") > before + 1);
      planted.set(null);
      Files.writeString(file, TWO_RULES);
      Await.until(PROMISED_DELAY, "a good edit acts", () -> rules.current().rules().size() == 2);
      assertThat(log.lines())
          .anyMatch(
              line -> line.startsWith("background task rules-file failed and will run again"));
    }
  }

  @Test
  void hangingWatcher_isOverdueAndRulesAreStale() throws IOException {
    JumpingClock clock = new JumpingClock();
    try (CapturedLogs log = new CapturedLogs();
        FileRules rules = new FileRules(file, clock, List.of(listener))) {
      synchronized (rules) { // blocks the check, like a file system that does not respond
        clock.offsetMicros = 60_000_000;
        assertThat(rules.staleness()).isGreaterThan(Duration.ofSeconds(50));
        assertThat(BackgroundTasks.unhealthy()).extracting(TaskStatus::name).contains("rules-file");
      }
      Await.until(MAX_DELAY, "the rules to be up to date again", () -> rules.staleness().isZero());
      assertThat(log.lines()).isNotNull();
    }
  }

  private void assertRejectedThenRecovers(FileReplacement spoil, String reason) throws IOException {
    try (FileRules rules = FileRules.open(file, 4096, listener)) {
      Files.delete(file);
      spoil.replaceFile();
      Await.until(
          MAX_DELAY,
          "the rejection: " + reason,
          () -> listener.rejections.stream().anyMatch(text -> text.contains(reason)));
      assertThat(listener.rejections).last().asString().startsWith(file + ": ");
      assertThat(rules.staleness()).isPositive();
      assertThat(rules.current().rules()).hasSize(1);
      Files.delete(file);
      Files.writeString(file, TWO_RULES);
      Duration took =
          Await.until(
              PROMISED_DELAY, "a good edit acts", () -> rules.current().rules().size() == 2);
      System.out.println("after " + reason + ": a good edit applied within " + took.toMillis());
      Await.until(MAX_DELAY, "the rules to be up to date", () -> rules.staleness().isZero());
    }
  }

  private void makeFifo() throws IOException {
    Process made = new ProcessBuilder("mkfifo", file.toString()).start();
    Await.until(MAX_DELAY, "mkfifo to end", () -> !made.isAlive());
    ToolRequirement.require(made.exitValue() == 0, "mkfifo is not installed here");
  }

  /** Replaces the file by something unreadable. */
  @FunctionalInterface
  private interface FileReplacement {
    void replaceFile() throws IOException;
  }

  /** A clock that throws an error into the check of the watcher that reads it. */
  private record FailingClock(AtomicReference<Error> injectedError) implements Clock {
    private static final Clock SYSTEM = Clock.system();

    @Override
    public long micros() {
      Error error = injectedError.get();
      boolean inCheck =
          error != null
              && StackWalker.getInstance()
                  .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("checkFile")));
      if (inCheck) {
        throw error;
      }
      return SYSTEM.micros();
    }
  }

  /** The system clock with an offset. */
  private static final class JumpingClock implements Clock {
    private static final Clock SYSTEM = Clock.system();
    private volatile long offsetMicros;

    @Override
    public long micros() {
      return SYSTEM.micros() + offsetMicros;
    }
  }
}
