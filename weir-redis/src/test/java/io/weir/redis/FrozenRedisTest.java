package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.FAULT_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.redis.RedisLoadGenerator.RedisLoadSample;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
import io.weir.testkit.CapturedLogs;
import io.weir.testkit.redis.RedisProcess;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that is frozen with all connections open, such as a stopped process or a pause. */
@Tag("slow")
class FrozenRedisTest {
  private static final int CALLERS = 16;
  private static final int BUDGET = 400_000;
  private static final int LOCAL_SHARE = BUDGET / 100;
  private static final int MARGIN_MICROS = 10_000;
  private static final Duration SIGNAL_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration RECOVERY_TIMEOUT = Duration.ofSeconds(2);
  private static final long MAX_HEAP_GROWTH_BYTES = 8L << 20;
  private static final long SAMPLE_BYTES = 200;

  @ParameterizedTest(name = "Redis frozen for {1} s, fallback {0}")
  @CsvSource({"OPEN, 5", "CLOSED, 2", "LOCAL, 2"})
  void frozenRedis_fallsBackWithinDeadlineAndRecovers(
      StoreFailureFallback.FallbackAction answer, int seconds) {
    boolean local = answer == StoreFailureFallback.FallbackAction.LOCAL;
    Rule rule = budget("a1", BUDGET, new StoreFailureFallback(answer, local ? 1 : 0));
    Rule other = budget("a1-after", 50, StoreFailureFallback.CLOSED);
    RecordingStoreListener events = new RecordingStoreListener();
    try (CapturedLogs log = new CapturedLogs();
        RedisProcess redis = RedisProcess.start();
        RedisStore longDeadlineStore =
            openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE));
        RedisStore store =
            openAndAwait(RedisStore.at(redis.uri()).deadline(FAULT_DEADLINE).listener(events));
        RedisLoadGenerator load =
            RedisLoadGenerator.start(
                store, CALLERS, i -> new Claim[] {claim(store, rule, "all", 1)})) {
      Duration openTime = RedisStoreTestSupport.measureOpenTime(redis);
      Await.until(AWAIT_TIMEOUT, "a steady load", () -> load.answeredInARow() > 5000);
      int threads = Thread.activeCount();
      int before = load.askedCount();

      int lines = log.lines().size();
      redis.freeze();
      long frozenMicros = RedisLoadGenerator.nowMicros();
      Await.until(
          SIGNAL_TIMEOUT.plus(openTime),
          "failure signals",
          () ->
              events.failedCount.get() > 0
                  && events.lostCount.get() > 0
                  && !store.health().available());
      int asked = load.askedCount();
      long heap = usedHeapBytes();
      Await.sleep(
          Duration.ofSeconds(seconds)
              .minusNanos((RedisLoadGenerator.nowMicros() - frozenMicros) * 1000));
      Await.until(AWAIT_TIMEOUT, "enough to tell", () -> load.askedCount() - before > 20_000);
      assertThat(Thread.activeCount()).as("threads").isLessThanOrEqualTo(threads + 2);
      long samples = SAMPLE_BYTES * (load.askedCount() - asked);
      assertThat(usedHeapBytes() - heap)
          .as("heap growth")
          .isLessThan(MAX_HEAP_GROWTH_BYTES + samples);
      assertThat(store.health().degradedDecisions()).isPositive();
      assertThat(log.lines().subList(lines, log.lines().size()))
          .anyMatch(line -> line.contains("the store is unavailable"))
          .hasSizeLessThan(20);
      long thawedMicros = RedisLoadGenerator.nowMicros();
      redis.thaw();

      Await.until(
          RECOVERY_TIMEOUT.plus(openTime), "exact again", () -> load.answeredInARow() > 200);
      assertThat(store.health().available()).isTrue();
      assertThat(events.foundCount.get()).isPositive();
      List<RedisLoadSample> all = load.stop();
      List<RedisLoadSample> meanwhile =
          all.stream()
              .filter(s -> s.startMicros() > frozenMicros && s.endMicros() < thawedMicros)
              .toList();
      assertThat(RedisLoadGenerator.p99Micros(meanwhile))
          .as("p99 while frozen")
          .isLessThanOrEqualTo(allowedP99Micros(meanwhile));
      assertThat(meanwhile).allMatch(RedisLoadSample::degraded);
      switch (answer) {
        case OPEN -> assertThat(meanwhile).allMatch(RedisLoadSample::withinLimits);
        case CLOSED -> assertThat(meanwhile).noneMatch(RedisLoadSample::withinLimits);
        case LOCAL ->
            assertThat(all.stream().filter(s -> s.degraded() && s.withinLimits()))
                .hasSize(LOCAL_SHARE);
      }
      long counted = all.stream().filter(RedisLoadSample::admitted).count();
      Await.until(
          AWAIT_TIMEOUT,
          "the store with the long deadline",
          () -> !RedisStoreTestSupport.peek(longDeadlineStore, other, "after").degraded());
      assertThat(RedisStoreTestSupport.countAdmitted(longDeadlineStore, other, "after", 60))
          .isEqualTo(50);
      assertThat(RedisStoreTestSupport.usedPermits(longDeadlineStore, rule, "all"))
          .as("charged: all admitted, plus at most the requests in flight")
          .isBetween(counted, counted + 1024);
    }
  }

  @Test
  @DisplayName("phantom charges: at most maxInFlight timed-out calls are charged after a freeze")
  void timedOutCalls_areChargedAtMostUpToMaxInFlight() {
    int maxCharged = 1 + 16; // one is sent at once, the others as a second batch
    Rule rule = budget("a2", 10_000, StoreFailureFallback.CLOSED);
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store =
            openAndAwait(
                RedisStore.at(redis.uri()).deadline(FAULT_DEADLINE).maxInFlight(maxCharged))) {
      assertThat(RedisStoreTestSupport.usedPermits(store, rule, "x")).isZero();
      redis.freeze();
      List<CompletableFuture<ClaimOutcome[]>> asked = new ArrayList<>();
      for (int wave = 0; wave < 70; wave++) { // until calls were given up several times
        for (int i = 0; i < 20; i++) {
          asked.add(store.apply(new Claim[] {claim(store, rule, "x", 1)}, StoreOperation.TAKE));
        }
        Await.sleep(FAULT_DEADLINE);
      }
      assertThat(asked).hasSize(1400).allMatch(a -> a.join()[0].degraded());
      redis.thaw();
      assertThat(RedisStoreTestSupport.usedPermits(store, rule, "x"))
          .as("charged without a reply")
          .isBetween(1L, (long) maxCharged);
    }
  }

  @ParameterizedTest(name = "CLIENT PAUSE 3000 {0}")
  @CsvSource({"ALL", "WRITE"})
  void pausedRedis_fallsBackWithinDeadlineAndRecovers(String pauseMode) {
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = openAndAwait(RedisStore.at(redis.uri()).deadline(FAULT_DEADLINE));
        DistinguishableCallers callers = DistinguishableCallers.start(store, 32)) {
      Duration openTime = RedisStoreTestSupport.measureOpenTime(redis);
      callers.awaitSteadyLoad();
      redis.command("CLIENT", "PAUSE", "3000", pauseMode);
      Await.until(SIGNAL_TIMEOUT.plus(openTime), "signals", () -> !store.health().available());
      Await.until(
          AWAIT_TIMEOUT, "exact again", () -> callers.loadGenerator().answeredInARow() > 1000);
      Await.until(
          AWAIT_TIMEOUT, "enough to tell", () -> callers.loadGenerator().askedCount() > 20_000);
      assertThat(callers.loadGenerator().degradedCount()).isPositive();
      List<RedisLoadSample> all = callers.stopAndVerify();
      assertThat(RedisLoadGenerator.p99Micros(all)).isLessThanOrEqualTo(allowedP99Micros(all));
    }
  }

  /** Returns the deadline plus a margin and the wake-up lag of the machine. */
  private static long allowedP99Micros(List<RedisLoadSample> samples) {
    return FAULT_DEADLINE.toMillis() * 1000
        + MARGIN_MICROS
        + RedisLoadGenerator.p99LagMicros(samples);
  }

  private static long usedHeapBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
