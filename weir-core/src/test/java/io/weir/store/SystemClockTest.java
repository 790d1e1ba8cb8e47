package io.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The system clock with a wall clock and a timer that the test controls. */
class SystemClockTest {
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long START = 1_767_225_600 * SECOND_NANOS;

  private long timer = -5 * SECOND_NANOS;
  private long wallAhead = START - timer;
  private long wallReadNanos;
  private final SystemClock clock = new SystemClock(() -> timer, this::readWall);
  private long last;

  private long readWall() {
    timer += wallReadNanos;
    return timer + wallAhead;
  }

  @Test
  void agreeingWallClock_changesNothing() {
    advance(60 * SECOND_NANOS);
    assertThat(errorMicros()).isZero();
  }

  @Test
  void wallClockSetForwardSlightly_isApproachedAtFiveMillisPerSecond() {
    wallAhead += 500_000_000;
    advance(50 * SECOND_NANOS);
    assertThat(errorMicros()).isBetween(-260_000L, -240_000L);
    advance(51 * SECOND_NANOS);
    assertThat(errorMicros()).isBetween(-101L, 101L);
  }

  @Test
  void wallClockSetBackSlightly_isApproachedAtFiveMillisPerSecondWithoutStep() {
    wallAhead -= 500_000_000;
    advance(50 * SECOND_NANOS);
    assertThat(errorMicros()).isBetween(240_000L, 260_000L);
    advance(51 * SECOND_NANOS);
    assertThat(errorMicros()).isBetween(-101L, 101L);
  }

  @Test
  void wallClockStepForwardAfterStart_isFollowedWithinThreeChecks() {
    wallAhead += 3600 * SECOND_NANOS;
    advance(300_000_000);
    assertThat(errorMicros()).isZero();
  }

  @Test
  void wallClockFarBehind_slowsClockWithoutStoppingIt() {
    wallAhead -= 10L * 365 * 86_400 * SECOND_NANOS;
    long before = clock.micros();
    advance(100 * SECOND_NANOS);
    assertThat(clock.micros() - before).isBetween(99_490_000L, 99_510_000L);
  }

  @Test
  void singleOutlierOfWallClock_isIgnored() {
    advance(SECOND_NANOS);
    wallAhead += 3600 * SECOND_NANOS;
    advance(100_000_000);
    wallAhead -= 3600 * SECOND_NANOS;
    advance(10 * SECOND_NANOS);
    assertThat(errorMicros()).isZero();
  }

  @Test
  void slowReadingOfWallClock_isIgnored() {
    wallReadNanos = 20_000_000;
    advance(10 * SECOND_NANOS);
    wallReadNanos = 0;
    advance(10 * SECOND_NANOS);
    assertThat(errorMicros()).isZero();
  }

  @Test
  void clockNotReadForLong_isCorrectedAtNextRead() {
    timer += 3600 * SECOND_NANOS;
    wallAhead += 7200 * SECOND_NANOS; // the timer stops while a machine sleeps
    advance(300_000_000);
    assertThat(errorMicros()).isZero();
  }

  @Test
  void randomWallClockSteps_timeFollowsAndNeverStepsBack() {
    Random random = new Random(5);
    for (int i = 0; i < 1000; i++) {
      long by = (long) (random.nextGaussian() * Math.pow(10, random.nextInt(11)));
      wallAhead += by;
      advance(random.nextInt(300_000_000));
    }
    wallAhead = START + 40_000 * SECOND_NANOS;
    timer += SECOND_NANOS;
    advance(SECOND_NANOS);
    wallAhead += 3600 * SECOND_NANOS;
    advance(SECOND_NANOS);
    assertThat(errorMicros()).as("the last large step forward is followed").isZero();
  }

  @Test
  void readsByManyThreads_neverStepBack() throws Exception {
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
  void systemClock_isSingletonPerProcess() {
    assertThat(Clock.system()).isSameAs(Clock.system());
  }

  @Test
  void monotonicClock_startsNearZeroAndDoesNotStepBack() {
    Clock stopwatch = Clock.monotonic();
    long first = stopwatch.micros();
    assertThat(first).isNotNegative();
    assertThat(stopwatch.micros()).isGreaterThanOrEqualTo(first);
  }

  /** Advances time, reading the clock every millisecond. */
  private void advance(long nanos) {
    long end = timer + nanos;
    while (timer < end) {
      timer += 1_000_000;
      long now = clock.micros();
      assertThat(now >= last).as("%d after %d", now, last).isTrue();
      last = now;
    }
  }

  /** How far the clock is ahead of the wall clock, in microseconds. */
  private long errorMicros() {
    return clock.micros() - (timer + wallAhead) / 1000;
  }
}
