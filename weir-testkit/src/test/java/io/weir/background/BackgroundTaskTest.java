package io.weir.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Clock;
import io.weir.testkit.FakeClock;
import io.weir.testkit.LogLines;
import io.weir.testkit.Soon;
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

/** A background task survives every round that fails, and one that hangs is reported. */
@Timeout(60)
class BackgroundTaskTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Clock CLOCK = Clock.system();

  static List<Supplier<Throwable>> failures() {
    return List.of(
        () -> new IllegalStateException("on purpose"),
        () -> new java.io.IOException("on purpose"),
        () -> new OutOfMemoryError("on purpose"),
        StackOverflowError::new,
        () -> new NoClassDefFoundError("on purpose"),
        InterruptedException::new,
        Unprintable::new);
  }

  /** Fails again when it is logged, as logging does without memory. */
  private static final class Unprintable extends Error {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new OutOfMemoryError("on purpose");
    }
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aRoundThatFails_isCountedAndFollowedByOthers(Supplier<Throwable> failure) {
    AtomicInteger rounds = new AtomicInteger();
    long before = BackgroundTasks.failures("test-failing");
    try (LogLines log = new LogLines();
        BackgroundTask task =
            BackgroundTask.named("test-failing", CLOCK::micros)
                .pause(Duration.ofMillis(5))
                .start(
                    () -> {
                      if (rounds.incrementAndGet() <= 2) {
                        sneak(failure.get());
                      }
                    })) {
      Soon.until(SOON, "five rounds", () -> rounds.get() >= 5);
      assertThat(BackgroundTasks.failures("test-failing")).isEqualTo(before + 2);
      assertThat(status("test-failing").isHealthy()).isTrue();
      assertThat(task.isOverdue()).isFalse();
      assertThat(log.lines())
          .filteredOn(line -> line.contains("failed, it goes on"))
          .hasSizeLessThan(2);
    }
  }

  @Test
  void aRoundThatOverflowsTheStackAndTheHeap_isFollowedByOthers() {
    AtomicInteger rounds = new AtomicInteger();
    try (LogLines log = new LogLines();
        BackgroundTask task =
            BackgroundTask.named("test-overflow", CLOCK::micros)
                .expected(Duration.ofMillis(5))
                .start(
                    () -> {
                      switch (rounds.incrementAndGet()) {
                        case 1 -> deeper(1);
                        case 2 -> assertThat(new long[Integer.MAX_VALUE][]).isEmpty();
                        default -> Soon.pass(Duration.ofMillis(5));
                      }
                    })) {
      Soon.until(SOON, "four rounds", () -> rounds.get() >= 4);
      assertThat(task.isOverdue()).isFalse();
      assertThat(log.lines()).isNotEmpty();
    }
  }

  @Test
  void aRoundThatHangs_isOverdueAndLoggedWithItsPlace() {
    FakeClock clock = new FakeClock();
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    try (LogLines log = new LogLines();
        BackgroundTask task =
            BackgroundTask.named("test-hanging", clock::micros)
                .expected(Duration.ofSeconds(2))
                .start(
                    () -> {
                      begun.countDown();
                      release.await();
                    })) {
      Soon.until(SOON, "it has begun", () -> begun.getCount() == 0);
      clock.advance(Duration.ofSeconds(6));
      assertThat(task.isOverdue()).isFalse();
      clock.advance(Duration.ofMillis(1));
      assertThat(task.isOverdue()).isTrue();
      assertThat(status("test-hanging").overdue()).isTrue();
      assertThat(BackgroundTasks.unhealthy()).extracting(TaskStatus::name).contains("test-hanging");
      Soon.until(
          SOON,
          "the log names it and where it hangs",
          () ->
              log.lines().stream()
                  .anyMatch(
                      line ->
                          line.startsWith("background task test-hanging has not completed a round")
                              && line.contains("CountDownLatch.await")));
      release.countDown();
      Soon.until(SOON, "it is no longer overdue", () -> !task.isOverdue());
      Soon.until(
          SOON,
          "the log says so",
          () -> log.lines().contains("background task test-hanging is no longer overdue"));
      task.stop();
    }
    assertThat(BackgroundTasks.statuses())
        .extracting(TaskStatus::name)
        .doesNotContain("test-hanging");
  }

  @Test
  void aTaskWithoutWork_isNotOverdue_butOneThatFailedIs() {
    FakeClock clock = new FakeClock();
    try (LogLines log = new LogLines();
        TaskMonitor monitor =
            TaskMonitor.onDemand("test-demand", Duration.ofSeconds(1), clock::micros)) {
      clock.advance(Duration.ofHours(1));
      assertThat(monitor.isOverdue()).isFalse();
      assertThat(monitor.run(() -> {})).isTrue();
      assertThat(monitor.run(() -> sneak(new OutOfMemoryError("on purpose")))).isFalse();
      clock.advance(Duration.ofSeconds(4));
      assertThat(monitor.isOverdue()).isTrue();
      assertThat(status("test-demand").failure())
          .isEqualTo("java.lang.OutOfMemoryError: on purpose");
      assertThat(monitor.run(() -> {})).isTrue();
      assertThat(monitor.isOverdue()).isFalse();
      assertThat(log.lines())
          .last()
          .isEqualTo("background task test-demand completes rounds again");
    }
  }

  @Test
  void woken_itRunsAtOnce_andClosedItDoesItsLastWork() {
    AtomicInteger rounds = new AtomicInteger();
    AtomicBoolean ended = new AtomicBoolean();
    BackgroundTask task =
        BackgroundTask.named("test-waking", CLOCK::micros)
            .pause(Duration.ofHours(1))
            .atEnd(() -> ended.set(true))
            .start(rounds::incrementAndGet);
    assertThat(rounds).hasValue(0);
    task.wake();
    Soon.until(SOON, "a round", () -> rounds.get() == 1);
    task.close();
    assertThat(ended).isTrue();
    assertThat(rounds).hasValue(1);
  }

  @Test
  void anInterrupt_endsNothing() {
    AtomicInteger rounds = new AtomicInteger();
    try (BackgroundTask task =
        BackgroundTask.named("test-interrupted", CLOCK::micros)
            .pause(Duration.ofMillis(1))
            .start(
                () -> {
                  rounds.incrementAndGet();
                  Thread.currentThread().interrupt();
                })) {
      Soon.until(SOON, "five rounds", () -> rounds.get() >= 5);
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
  private static int deeper(int depth) {
    return deeper(depth + 1) + 1;
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable e) throws E {
    throw (E) e;
  }
}
