package io.weir.server.refusals;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.Await;
import io.weir.testkit.FakeClock;
import io.weir.web.LineWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefusalLogTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Optional<String> SALT = Optional.of("a salt for tests");

  private final FakeClock clock = new FakeClock();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @Test
  void refusal_isWrittenAsJsonLine() {
    try (RefusalLog log = log(10)) {
      Limiter limiter = limiter(log, rule("login", "2/minute"));
      Request ann = Request.of("user", "ann", "endpoint", "POST /login");
      limiter.decideNow(ann.cost(2));
      clock.advance(Duration.ofMillis(500));
      limiter.decideNow(ann);
      limiter.decideNow(ann.cost(3));
    }
    String key = lines().get(0).replaceFirst(".*\"key\":\"([0-9a-f]{16})\".*", "$1");
    assertThat(lines())
        .containsExactly(
            "{\"time\":\"2026-01-01T00:00:00.500Z\",\"event\":\"refused\",\"rule\":\"login\","
                + "\"key\":\""
                + key
                + "\",\"endpoint\":\"POST /login\",\"reason\":\"rate_limited\","
                + "\"retry_after_ms\":29500,\"shadow\":false,\"degraded\":false,\"revision\":1}",
            "{\"time\":\"2026-01-01T00:00:00.500Z\",\"event\":\"refused\",\"rule\":\"login\","
                + "\"key\":\""
                + key
                + "\",\"endpoint\":\"POST /login\",\"reason\":\"cost_exceeds_limit\","
                + "\"retry_after_ms\":0,\"shadow\":false,\"degraded\":false,\"revision\":1}");
  }

  @Test
  void everyRefusingRule_hasItsOwnLine() {
    try (RefusalLog log = log(10)) {
      Limiter limiter =
          limiter(
              log,
              rule("wide", "100/minute"),
              rule("narrow", "1/minute"),
              rule("dark", "1/minute").edit().shadow(true).build());
      limiter.decideNow(Request.of("user", "ann"));
      limiter.decideNow(Request.of("user", "ann"));
    }
    assertThat(lines()).hasSize(2);
    assertThat(lines().get(0)).contains("\"rule\":\"narrow\"", "\"shadow\":false");
    assertThat(lines().get(1)).contains("\"rule\":\"dark\"", "\"shadow\":true");
    assertThat(lines()).allMatch(line -> line.contains("\"endpoint\":null"));
  }

  @Test
  void refusalsOverTheSecondlyLimit_areReportedAsDropped() {
    try (RefusalLog log = log(3)) {
      Limiter limiter = limiter(log, rule("a", "1/hour"));
      for (int i = 0; i < 10; i++) {
        limiter.decideNow(Request.of("user", "ann"));
      }
      clock.advance(Duration.ofSeconds(1));
      Await.until(TIMEOUT, "dropped refusals are reported", () -> lines().size() == 4);
      limiter.decideNow(Request.of("user", "ann"));
    }
    assertThat(lines()).hasSize(5);
    assertThat(lines().get(3))
        .isEqualTo(
            "{\"time\":\"2026-01-01T00:00:01.000Z\",\"event\":\"dropped\","
                + "\"rule\":\"a\",\"dropped\":6}");
    assertThat(lines().get(4)).contains("\"event\":\"refused\"");
  }

  @Test
  void idleRule_isForgotten() {
    try (RefusalLog log = log(0)) {
      for (int i = 0; i < 1000; i++) {
        limiter(log, rule("r" + i, "1/hour")).decideNow(Request.of("user", "ann").cost(2));
      }
      assertThat(log.trackedRules()).isEqualTo(1000);
      clock.advance(Duration.ofSeconds(62));
      Await.until(TIMEOUT, "rules are removed", () -> log.trackedRules() == 0);
    }
    assertThat(RefusalLogLines.of(lines())).isEqualTo(new RefusalLogLines(0, 1000));
  }

  @Test
  void blockedWriter_doesNotBlockDecisions() throws Exception {
    CountDownLatch unblock = new CountDownLatch(1);
    OutputStream slow =
        new OutputStream() {
          @Override
          public void write(int b) {
            try {
              unblock.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            out.write(b);
          }
        };
    try (RefusalLog log =
        new RefusalLog(new LineWriter("refusal log", slow), 1_000_000, SALT, clock)) {
      Limiter limiter = limiter(log, rule("a", "1/hour"));
      for (int i = 0; i < 10_001; i++) {
        limiter.decideNow(Request.of("user", "ann"));
      }
      unblock.countDown();
    }
    assertThat(RefusalLogLines.of(lines()).refused()).isBetween(1000L, 2000L);
    assertThat(RefusalLogLines.of(lines()).total()).isEqualTo(10_000);
  }

  @Test
  void failedWrites_areReportedWhenWritingWorksAgain() {
    AtomicBoolean full = new AtomicBoolean(true);
    AtomicInteger failed = new AtomicInteger();
    OutputStream disk =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            if (full.get()) {
              failed.incrementAndGet();
              throw new IOException("No space left on device");
            }
            out.write(b);
          }
        };
    try (RefusalLog log = new RefusalLog(new LineWriter("refusal log", disk), 100, SALT, clock)) {
      Limiter limiter = limiter(log, rule("a", "1/hour"));
      for (int i = 0; i < 51; i++) {
        limiter.decideNow(Request.of("user", "ann"));
      }
      clock.advance(Duration.ofSeconds(1));
      Await.until(TIMEOUT, "every line was attempted", () -> failed.get() > 50);
      full.set(false);
      clock.advance(Duration.ofSeconds(1));
    }
    assertThat(
            RefusalLogLines.of(lines().stream().filter(line -> !line.isEmpty()).toList()).total())
        .isEqualTo(50);
  }

  @Test
  void existingFile_isAppendedTo(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("refusals.log");
    for (int run = 0; run < 2; run++) {
      try (RefusalLog log = RefusalLog.open("file:" + file, 10, SALT)) {
        Limiter limiter = limiter(log, rule("a", "1/hour"));
        limiter.decideNow(Request.of("user", "ann"));
        limiter.decideNow(Request.of("user", "ann"));
      }
    }
    List<String> lines = Files.readAllLines(file);
    assertThat(RefusalLogLines.of(lines).refused()).isEqualTo(2);
    assertThat(lines.get(0).replaceFirst(".*\"key\":\"(.*?)\".*", "$1"))
        .isEqualTo(lines.get(1).replaceFirst(".*\"key\":\"(.*?)\".*", "$1"));
  }

  @Test
  void invalidSettings_areRejectedWithAdvice(@TempDir Path folder) {
    assertThatThrownBy(() -> RefusalLog.open("syslog", 10, SALT))
        .hasMessageContaining("must be stdout or file:PATH (was 'syslog')");
    assertThatThrownBy(() -> RefusalLog.open("file:" + folder, 10, SALT))
        .hasMessageContaining("file:PATH of a writable file");
    assertThatThrownBy(() -> RefusalLog.open("stdout", -1, SALT))
        .hasMessageContaining("refusals per second must be 0 to 1048575 (was -1), for example 10");
    assertThatThrownBy(() -> RefusalLog.open("stdout", 10, Optional.of("")))
        .hasMessageContaining("write a secret text");
  }

  private RefusalLog log(int perSecond) {
    return new RefusalLog(new LineWriter("refusal log", out), perSecond, SALT, clock);
  }

  private Limiter limiter(RefusalLog log, Rule... rules) {
    return Weir.limiter(RuleSet.of(rules)).clock(clock).listener(log).build();
  }

  private List<String> lines() {
    return out.toString(UTF_8).lines().toList();
  }

  private static Rule rule(String id, String limit) {
    return Rule.named(id).per("user").limit(limit).build();
  }
}
