package io.weir.rules;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.store.Clock;
import io.weir.testkit.Await;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Measures whether some work blocks decisions: compares the longest pause of decisions during the
 * work, without garbage collection, with the longest pause while another thread just keeps a
 * processor busy for the same time.
 *
 * <p>Both are measured in alternation and the minimum of each counts: blocking occurs every time,
 * other load on the machine only sometimes.
 */
public final class DecisionPauseMeter implements AutoCloseable {
  private static final Clock CLOCK = Clock.system();
  private static final Duration MAX_WAIT = Duration.ofMinutes(1);

  /** A short rest after this many decisions leaves processor time for the work. */
  private static final int DECISIONS_PER_REST = 50;

  private static final int MAX_EXTRA_ROUNDS = 4;
  private static final long REST_NANOS = 200_000;

  private final AtomicBoolean done = new AtomicBoolean();
  private final AtomicLong decisionCount = new AtomicLong();
  private final AtomicLong longestPauseMicros = new AtomicLong();
  private final Thread thread;

  /** Starts to make decisions continuously. */
  public DecisionPauseMeter(Limiter limiter, Request request) {
    thread = new Thread(() -> decideUntilDone(limiter, request), "decisions");
    thread.start();
    awaitDecision();
  }

  /**
   * The result of a measurement: the minimum over all rounds.
   *
   * @param baselinePause the longest pause while the processor was just busy
   * @param pauseDuringWork the longest pause during the work
   * @param workTime the duration of the work
   */
  public record PauseMeasurement(
      Duration baselinePause, Duration pauseDuringWork, Duration workTime) {
    private static final Duration TOLERANCE = Duration.ofMillis(30);

    /**
     * Whether the work blocked decisions: for more than a quarter of its time, and more than three
     * times as long as a busy processor.
     */
    public boolean isBlocking() {
      return pauseDuringWork.compareTo(baselinePause.multipliedBy(3).plus(TOLERANCE)) > 0
          && pauseDuringWork.compareTo(workTime.dividedBy(4)) > 0;
    }

    private PauseMeasurement minimum(PauseMeasurement other) {
      return new PauseMeasurement(
          shorter(baselinePause, other.baselinePause),
          shorter(pauseDuringWork, other.pauseDuringWork),
          shorter(workTime, other.workTime));
    }

    private static Duration shorter(Duration one, Duration other) {
      return one.compareTo(other) < 0 ? one : other;
    }

    @Override
    public String toString() {
      return "work of %d ms, longest pause of decisions %d ms (%d ms with a busy processor)"
          .formatted(workTime.toMillis(), pauseDuringWork.toMillis(), baselinePause.toMillis());
    }
  }

  /**
   * Prepares and runs some work in each round, with a few more rounds if it seems to block
   * decisions.
   */
  public PauseMeasurement measure(int rounds, IntFunction<Runnable> prepare) {
    PauseMeasurement found = measureRound(prepare.apply(0));
    for (int i = 1; i < rounds || (found.isBlocking() && i < rounds + MAX_EXTRA_ROUNDS); i++) {
      found = found.minimum(measureRound(prepare.apply(i)));
    }
    return found;
  }

  private PauseMeasurement measureRound(Runnable work) {
    long start = CLOCK.micros();
    long meanwhile = longestPauseDuring(work);
    long took = CLOCK.micros() - start;
    long busy = longestPauseDuring(() -> spin(took));
    return new PauseMeasurement(ofMicros(busy), ofMicros(meanwhile), ofMicros(took));
  }

  private long longestPauseDuring(Runnable work) {
    awaitDecision();
    longestPauseMicros.set(0);
    long collected = gcMicros();
    work.run();
    // includes a pause that is not over yet
    awaitDecision();
    return Math.max(0, longestPauseMicros.get() - (gcMicros() - collected));
  }

  /** Returns the total time of garbage collections so far. */
  private static long gcMicros() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .map(TimeUnit.MILLISECONDS::toMicros)
        .sum();
  }

  private void awaitDecision() {
    long before = decisionCount.get();
    Await.until(MAX_WAIT, "a decision", () -> decisionCount.get() > before + 1);
  }

  private static void spin(long micros) {
    long end = CLOCK.micros() + micros;
    while (CLOCK.micros() < end) {
      Thread.onSpinWait();
    }
  }

  private static Duration ofMicros(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  private void decideUntilDone(Limiter limiter, Request request) {
    long last = CLOCK.micros();
    while (!done.get()) {
      var unused = limiter.decideNow(request);
      long now = CLOCK.micros();
      longestPauseMicros.accumulateAndGet(now - last, Math::max);
      last = now;
      if (decisionCount.incrementAndGet() % DECISIONS_PER_REST == 0) {
        LockSupport.parkNanos(REST_NANOS);
      }
    }
  }

  @Override
  public void close() {
    done.set(true);
    Await.until(MAX_WAIT, "the last decision", () -> !thread.isAlive());
  }
}
