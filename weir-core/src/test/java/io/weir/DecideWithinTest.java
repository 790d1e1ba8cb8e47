package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleException;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that wait until they are admitted, and tasks that run only if they are. */
@Timeout(60)
class DecideWithinTest {
  private static final Request REQUEST = Request.of("user", "ann");
  private static final long SECOND = 1_000_000;

  private final AtomicLong now = new AtomicLong(1_800_000_000_000_000L);
  private final FakeScheduler scheduler = new FakeScheduler(now);
  private final Rule perSecond =
      Rule.named("api").per("user").limit(1, Duration.ofSeconds(1)).build();

  private Limiter limiter(Rule rule) {
    Clock clock = now::get;
    return new DefaultLimiter(
        RuleSet.of(rule), new MemoryStore(clock), clock, clock, List.of(), scheduler);
  }

  @Test
  void limitOfPermitsAndPeriod_equalsTheRateAsText() {
    assertThat(perSecond).isEqualTo(Rule.named("api").per("user").limit("1/second").build());
    assertThatThrownBy(() -> Rule.named("api").limit(1, Duration.ZERO).build())
        .isInstanceOf(RuleException.class)
        .hasMessageContaining("limit");
  }

  @Test
  void acquire_waitsExactlyForTheWaitTime() throws Exception {
    Limiter limiter = limiter(perSecond);
    assertThat(limiter.decideWithin(REQUEST, Duration.ZERO).allowed()).isTrue();
    List<Decision> decisions = new CopyOnWriteArrayList<>();
    Thread waiting = startWaiting(limiter, decisions, Duration.ofSeconds(5));
    awaitTimers(1);
    scheduler.advance(SECOND - 1);
    assertThat(scheduler.pendingTasks()).isEqualTo(1);
    assertThat(decisions).isEmpty();
    scheduler.advance(1);
    waiting.join();
    assertThat(decisions).hasSize(1).allMatch(Decision::allowed);
    assertThat(scheduler.pendingTasks()).isZero();
  }

  @Test
  void timeoutTooShort_isRefusedAtOnceAndChargesNothing() throws Exception {
    Limiter limiter = limiter(perSecond);
    limiter.decideNow(REQUEST);
    Decision refused = limiter.decideWithin(REQUEST, Duration.ofMillis(999));
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(1));
    assertThat(limiter.decideWithin(REQUEST.cost(2), Duration.ofDays(1)).costExceedsLimit())
        .isTrue();
    assertThat(scheduler.pendingTasks()).isZero();
  }

  @Test
  void waitingThreads_areAdmittedInTheOrderInWhichTheyCame() throws Exception {
    Limiter limiter = limiter(perSecond);
    limiter.decideNow(REQUEST);
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      threads.add(
          start(
              () -> {
                limiter.decideWithin(REQUEST, Duration.ofMinutes(1));
                order.add(number);
              }));
      awaitTimers(i + 1);
    }
    for (int i = 0; i < 4; i++) {
      scheduler.advance(SECOND);
      threads.get(i).join();
      assertThat(order).hasSize(i + 1);
      awaitTimers(3 - i);
    }
    assertThat(order).containsExactly(0, 1, 2, 3);
  }

  @Test
  void otherCallers_doNotWaitForTheTurn() throws Exception {
    Limiter limiter = limiter(perSecond);
    limiter.decideNow(REQUEST);
    Thread waiting = startWaiting(limiter, new CopyOnWriteArrayList<>(), Duration.ofMinutes(1));
    awaitTimers(1);
    assertThat(limiter.decideWithin(Request.of("user", "ben"), Duration.ZERO).allowed()).isTrue();
    scheduler.advance(SECOND);
    waiting.join();
  }

  @Test
  void interruptedThread_throwsAndChargesNothing() throws Exception {
    Limiter limiter = limiter(perSecond);
    limiter.decideNow(REQUEST);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread waiting =
        start(
            () -> {
              try {
                limiter.decideWithin(REQUEST, Duration.ofMinutes(1));
              } catch (InterruptedException e) {
                thrown.set(e);
              }
            });
    awaitTimers(1);
    waiting.interrupt();
    waiting.join();
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    assertThat(scheduler.pendingTasks()).isZero();
    scheduler.advance(SECOND);
    assertThat(limiter.decideWithin(REQUEST, Duration.ZERO).allowed()).isTrue();
  }

  @Test
  void delayOfALeakyBucket_isWaitedFor() throws Exception {
    Limiter limiter =
        limiter(Rule.named("q").algorithm("leaky-bucket").limit("1/second").burst(3).build());
    limiter.decideWithin(REQUEST, Duration.ZERO);
    List<Decision> decisions = new CopyOnWriteArrayList<>();
    Thread waiting = startWaiting(limiter, decisions, Duration.ZERO);
    awaitTimers(1);
    assertThat(decisions).isEmpty();
    scheduler.advance(SECOND);
    waiting.join();
    assertThat(decisions).hasSize(1).allMatch(Decision::allowed);
  }

  @Test
  void tasks_areCalledOnlyIfAdmitted() throws Exception {
    Limiter limiter = limiter(perSecond);
    assertThat(limiter.callIf(REQUEST, () -> "called")).contains("called");
    assertThat(limiter.callIf(REQUEST, () -> "called")).isEmpty();
    assertThat(limiter.runIf(REQUEST, () -> {})).isFalse();
    Supplier<Optional<Integer>> decorated = limiter.decorate(REQUEST, () -> 42);
    assertThat(decorated.get()).isEmpty();
    now.addAndGet(SECOND);
    assertThat(decorated.get()).contains(42);
    now.addAndGet(SECOND);
    assertThat(limiter.getIf(REQUEST, () -> 7)).contains(7);
    now.addAndGet(SECOND);
    assertThat(limiter.runIf(REQUEST, () -> {})).isTrue();
  }

  private static Thread startWaiting(Limiter limiter, List<Decision> decisions, Duration timeout) {
    return start(() -> decisions.add(limiter.decideWithin(REQUEST, timeout)));
  }

  private interface InterruptibleTask {
    void run() throws InterruptedException;
  }

  private static Thread start(InterruptibleTask task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    thread.start();
    return thread;
  }

  /** Waits until that many threads wait on timers. */
  private void awaitTimers(int count) {
    while (scheduler.pendingTasks() != count) {
      Thread.onSpinWait();
    }
  }
}
