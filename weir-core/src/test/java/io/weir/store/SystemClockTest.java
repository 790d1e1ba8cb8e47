package io.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The system clock beside a wall clock and a timer that are set by the test. */
class SystemClockTest {
  private static final long SECOND = 1_000_000_000;
  private static final long START = 1_767_225_600 * SECOND;

  private long timer = -5 * SECOND;
  private long wallAhead = START - timer;
  private long readingTakes;
  private final SystemClock clock = new SystemClock(() -> timer, this::readWall);
  private long last;

  private long readWall() {
    timer += readingTakes;
    return timer + wallAhead;
  }

  @Test
  void wallClockThatAgrees_changesNothing() {
    run(60 * SECOND);
    assertThat(error()).isZero();
  }

  @Test
  void wallClockSetForwardALittle_isReachedAtFiveMillisecondsASecond() {
    wallAhead += 500_000_000;
    run(50 * SECOND);
    assertThat(error()).isBetween(-260_000L, -240_000L);
    run(51 * SECOND);
    assertThat(error()).isBetween(-101L, 101L);
  }

  @Test
  void wallClockSetBackALittle_isReachedAtFiveMillisecondsASecondWithoutStepping() {
    wallAhead -= 500_000_000;
    run(50 * SECOND);
    assertThat(error()).isBetween(240_000L, 260_000L);
    run(51 * SECOND);
    assertThat(error()).isBetween(-101L, 101L);
  }

  @Test
  void wallClockCorrectedForwardAfterTheStart_isTakenWithinThreeChecks() {
    wallAhead += 3600 * SECOND;
    run(300_000_000);
    assertThat(error()).isZero();
  }

  @Test
  void wallClockFarBehind_slowsTheClockAndNeverHoldsIt() {
    wallAhead -= 10L * 365 * 86_400 * SECOND;
    long before = clock.micros();
    run(100 * SECOND);
    assertThat(clock.micros() - before).isBetween(99_490_000L, 99_510_000L);
  }

  @Test
  void oneOddReadingOfTheWallClock_isNotFollowed() {
    run(SECOND);
    wallAhead += 3600 * SECOND;
    run(100_000_000);
    wallAhead -= 3600 * SECOND;
    run(10 * SECOND);
    assertThat(error()).isZero();
  }

  @Test
  void readingOfTheWallClockThatWasHeldUp_isNotBelieved() {
    readingTakes = 20_000_000;
    run(10 * SECOND);
    readingTakes = 0;
    run(10 * SECOND);
    assertThat(error()).isZero();
  }

  @Test
  void clockThatNobodyRead_isCorrectedWhenItIsReadAgain() {
    timer += 3600 * SECOND;
    wallAhead += 7200 * SECOND; // the timer stands while a machine sleeps
    run(300_000_000);
    assertThat(error()).isZero();
  }

  @Test
  void whateverTheWallClockDoes_timeNeverStepsBackAndFollows() {
    Random random = new Random(5);
    for (int i = 0; i < 1000; i++) {
      long by = (long) (random.nextGaussian() * Math.pow(10, random.nextInt(11)));
      wallAhead += by;
      run(random.nextInt(300_000_000));
    }
    wallAhead = START + 40_000 * SECOND;
    timer += SECOND;
    run(SECOND);
    wallAhead += 3600 * SECOND;
    run(SECOND);
    assertThat(error()).as("the last large step forward is followed").isZero();
  }

  @Test
  void readsOfManyThreads_neverGoBackFromOneToTheNext() throws Exception {
    long[] wander = {0};
    SystemClock shared =
        new SystemClock(
            System::nanoTime,
            () -> {
              wander[0] = wander[0] * 31 + 7;
              return System.nanoTime() + START + (wander[0] >>> 40);
            });
    Object lock = new Object();
    long[] latest = {0};
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        threads.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < 200_000; i++) {
                    synchronized (lock) {
                      long now = shared.micros();
                      assertThat(now >= latest[0]).as("%d after %d", now, latest[0]).isTrue();
                      latest[0] = now;
                    }
                  }
                }));
      }
      for (Future<?> thread : threads) {
        thread.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void systemClock_isOneForTheWholeProcess() {
    assertThat(Clock.system()).isSameAs(Clock.system());
  }

  @Test
  void monotonicClock_startsNearZeroAndDoesNotStepBack() {
    Clock stopwatch = Clock.monotonic();
    long first = stopwatch.micros();
    assertThat(first).isNotNegative();
    assertThat(stopwatch.micros()).isGreaterThanOrEqualTo(first);
  }

  /** Lets time pass, reading the clock every millisecond. */
  private void run(long nanos) {
    long end = timer + nanos;
    while (timer < end) {
      timer += 1_000_000;
      long now = clock.micros();
      assertThat(now >= last).as("%d after %d", now, last).isTrue();
      last = now;
    }
  }

  /** How far the clock is ahead of the wall clock, in microseconds. */
  private long error() {
    return clock.micros() - (timer + wallAhead) / 1000;
  }
}
