package io.weir.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Clock;
import io.weir.testkit.Await;
import io.weir.testkit.CapturedLogs;
import io.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A background task continues after a failed round, and a hanging round is reported. */
@Timeout(60)
class BackgroundTaskTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Clock CLOCK = Clock.system();

  static List<Supplier<Throwable>> failures() {
    return List.of(
        () -> new IllegalStateException("on purpose"),
        () -> new java.io.IOException("on purpose"),
        () -> new OutOfMemoryError("on purpose"),
        StackOverflowError::new,
        () -> new NoClassDefFoundError("on purpose"),
        InterruptedException::new,
        UnprintableError::new);
  }

  /** Its message throws again, like logging without memory. */
  private static final class UnprintableError extends Error {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new OutOfMemoryError("on purpose");
    }
  }

  @ParameterizedTest
  @MethodSource("failures")
  void failingRound_isCountedAndFollowedByOthers(Supplier<Throwable> failure) {
    AtomicInteger rounds = new AtomicInteger();
    long before = BackgroundTasks.failures("test-failing");
    try (CapturedLogs log = new CapturedLogs();
        BackgroundTask task =
            BackgroundTask.named("test-failing", CLOCK::micros)
                .interval(Duration.ofMillis(5))
                .start(
                    () -> {
                      if (rounds.incrementAndGet() <= 2) {
                        sneak(failure.get());
                      }
                    })) {
      Await.until(TIMEOUT, "five rounds", () -> rounds.get() >= 5);
      assertThat(BackgroundTasks.failures("test-failing")).isEqualTo(before + 2);
      assertThat(status("test-failing").isHealthy()).isTrue();
      assertThat(task.isOverdue()).isFalse();
      assertThat(log.lines())
          .filteredOn(line -> line.contains("failed and will run again"))
          .hasSizeLessThan(2);
    }
  }

  @Test
  void roundThatOverflowsStackAndHeap_isFollowedByOthers() {
    AtomicInteger rounds = new AtomicInteger();
    try (CapturedLogs log = new CapturedLogs();
        BackgroundTask task =
            BackgroundTask.named("test-overflow", CLOCK::micros)
                .maxInterval(Duration.ofMillis(5))
                .start(
                    () -> {
                      switch (rounds.incrementAndGet()) {
                        case 1 -> overflowStack(1);
                        case 2 -> assertThat(new long[Integer.MAX_VALUE][]).isEmpty();
                        default -> Await.sleep(Duration.ofMillis(5));
                      }
                    })) {
      Await.until(TIMEOUT, "four rounds", () -> rounds.get() >= 4);
      assertThat(task.isOverdue()).isFalse();
      assertThat(log.lines()).isNotEmpty();
    }
  }

  @Test
  void hangingRound_isOverdueAndLoggedWithStackTrace() {
    FakeClock clock = new FakeClock();
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    try (CapturedLogs log = new CapturedLogs();
        BackgroundTask task =
            BackgroundTask.named("test-hanging", clock::micros)
                .maxInterval(Duration.ofSeconds(2))
                .start(
                    () -> {
                      begun.countDown();
                      release.await();
                    })) {
      Await.until(TIMEOUT, "it has begun", () -> begun.getCount() == 0);
      clock.advance(Duration.ofSeconds(6));
      assertThat(task.isOverdue()).isFalse();
      clock.advance(Duration.ofMillis(1));
      assertThat(task.isOverdue()).isTrue();
      assertThat(status("test-hanging").overdue()).isTrue();
      assertThat(BackgroundTasks.unhealthy()).extracting(TaskStatus::name).contains("test-hanging");
      Await.until(
          TIMEOUT,
          "the log names it and where it hangs",
          () ->
              log.lines().stream()
                  .anyMatch(
                      line ->
                          line.startsWith("background task test-hanging has not completed a round")
                              && line.contains("CountDownLatch.await")));
      release.countDown();
      Await.until(TIMEOUT, "it is no longer overdue", () -> !task.isOverdue());
      Await.until(
          TIMEOUT,
          "the log says so",
          () -> log.lines().contains("background task test-hanging is no longer overdue"));
      task.stop();
    }
    assertThat(BackgroundTasks.statuses())
        .extracting(TaskStatus::name)
        .doesNotContain("test-hanging");
  }

  @Test
  void idleTask_isNotOverdueUnlessItsLastRoundFailed() {
    FakeClock clock = new FakeClock();
    try (CapturedLogs log = new CapturedLogs();
        TaskMonitor monitor =
            TaskMonitor.onDemand("test-demand", Duration.ofSeconds(1), clock::micros)) {
      clock.advance(Duration.ofHours(1));
      assertThat(monitor.isOverdue()).isFalse();
      assertThat(monitor.run(() -> {})).isTrue();
      assertThat(monitor.run(() -> sneak(new OutOfMemoryError("on purpose")))).isFalse();
      clock.advance(Duration.ofSeconds(4));
      assertThat(monitor.isOverdue()).isTrue();
      assertThat(status("test-demand").lastFailure())
          .isEqualTo("java.lang.OutOfMemoryError: on purpose");
      assertThat(monitor.run(() -> {})).isTrue();
      assertThat(monitor.isOverdue()).isFalse();
      assertThat(log.lines()).last().isEqualTo("background task test-demand has recovered");
    }
  }

  @Test
  void wakeRunsAtOnce_closeRunsFinalWork() {
    AtomicInteger rounds = new AtomicInteger();
    AtomicBoolean ended = new AtomicBoolean();
    BackgroundTask task =
        BackgroundTask.named("test-waking", CLOCK::micros)
            .interval(Duration.ofHours(1))
            .onClose(() -> ended.set(true))
            .start(rounds::incrementAndGet);
    assertThat(rounds).hasValue(0);
    task.wake();
    Await.until(TIMEOUT, "a round", () -> rounds.get() == 1);
    task.close();
    assertThat(ended).isTrue();
    assertThat(rounds).hasValue(1);
  }

  @Test
  void interrupt_doesNotEndTask() {
    AtomicInteger rounds = new AtomicInteger();
    try (BackgroundTask task =
        BackgroundTask.named("test-interrupted", CLOCK::micros)
            .interval(Duration.ofMillis(1))
            .start(
                () -> {
                  rounds.incrementAndGet();
                  Thread.currentThread().interrupt();
                })) {
      Await.until(TIMEOUT, "five rounds", () -> rounds.get() >= 5);
      assertThat(task.isOverdue()).isFalse();
    }
  }

  private static TaskStatus status(String name) {
    return BackgroundTasks.statuses().stream()
        .filter(task -> task.name().equals(name))
        .findAny()
        .orElseThrow();
  }

  @SuppressWarnings("InfiniteRecursion")
  private static int overflowStack(int depth) {
    return overflowStack(depth + 1) + 1;
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable e) throws E {
    throw (E) e;
  }
}
