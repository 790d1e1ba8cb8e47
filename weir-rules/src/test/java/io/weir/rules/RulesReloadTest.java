package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import io.weir.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reloads of many rules during decisions. */
@Timeout(600)
@Tag("slow")
class RulesReloadTest {
  private static final int RULES = 10_000;
  private static final int ROUNDS = 5;
  private static final Request REQUEST = Request.of("user", "42", "path", "/a/77", "tier", "pro");
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Clock clock = Clock.system();

  @Test
  void tenThousandRulesReloaded_decisionsAreNotBlocked(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, rulesText(0));
    try (FileRules rules = new FileRules(file, clock, List.of());
        DecisionPauseMeter pauses = new DecisionPauseMeter(Weir.inMemory(rules), REQUEST)) {
      for (int i = 1; i <= 3; i++) {
        reload(rules, file, i).run();
      }
      List<Long> reads = new ArrayList<>();
      DecisionPauseMeter.PauseMeasurement found =
          pauses.measure(
              ROUNDS,
              i -> {
                Runnable reload = reload(rules, file, i + 4);
                return () -> {
                  long start = THREADS.getCurrentThreadCpuTime();
                  reload.run();
                  reads.add(THREADS.getCurrentThreadCpuTime() - start);
                };
              });
      Collections.sort(reads);
      Duration read = Duration.ofNanos(reads.get(reads.size() / 2));
      System.out.printf(
          "file of %d rules: read in %d ms of processor time; %s%n", RULES, read.toMillis(), found);
      assertThat(read).isLessThan(Duration.ofSeconds(1));
      assertThat(found.isBlocking()).as("blocked: %s", found).isFalse();
    }
  }

  @Test
  void blockingSource_isDetected() throws Exception {
    Object lock = new Object();
    RuleSet rules = Rules.parse(rulesText(0));
    Limiter limiter =
        Weir.inMemory(
            () -> {
              synchronized (lock) {
                return rules;
              }
            });
    try (DecisionPauseMeter pauses = new DecisionPauseMeter(limiter, REQUEST)) {
      DecisionPauseMeter.PauseMeasurement found =
          pauses.measure(
              1,
              i ->
                  () -> {
                    synchronized (lock) {
                      Await.sleep(Duration.ofMillis(500));
                    }
                  });
      assertThat(found.isBlocking()).as("blocked: %s", found).isTrue();
    }
  }

  /** Writes the next version and reads it, unless the watcher is faster. */
  private static Runnable reload(FileRules rules, Path file, int version) {
    return () -> {
      try {
        Path next = Files.writeString(file.resolveSibling("next"), rulesText(version));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        rules.checkFile();
        Await.until(
            Duration.ofMinutes(1),
            "the file to be read",
            () -> rules.current().rules().size() == RULES + version);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  private static String rulesText(int version) {
    StringBuilder text = new StringBuilder("rules:\n");
    for (int i = 0; i < RULES + version; i++) {
      text.append("  - id: rule-" + i + "\n    match: {path: /a/" + i + ", tier: [free, pro]}\n");
      text.append("    per: [user]\n    limit: 10000000/s\n    burst: " + (1000000 + version));
      text.append("\n    overrides: [{when: {user: acme}, limit: 6000/minute}]\n");
    }
    return text.toString();
  }
}
