package io.weir.rules;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.store.Clock;
import io.weir.testkit.Soon;
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
 * Whether some work holds decisions up: their longest pause meanwhile, but for the time in which
 * garbage was collected, beside their longest pause while another thread merely keeps a processor
 * busy for as long.
 *
 * <p>The two take turns and the least of each counts: what holds decisions up does so every time,
 * and what else the machine does, now and then.
 */
public final class Pauses implements AutoCloseable {
  private static final Clock CLOCK = Clock.system();
  private static final Duration MOST = Duration.ofMinutes(1);

  /**
   * A short rest after so many decisions, or on few cores the work would hardly come to its turn.
   */
  private static final int AT_ONCE = 50;

  private static final int MORE = 4;
  private static final long REST_NANOS = 200_000;

  private final AtomicBoolean done = new AtomicBoolean();
  private final AtomicLong decided = new AtomicLong();
  private final AtomicLong longest = new AtomicLong();
  private final Thread thread;

  /** Begins to decide, without end. */
  public Pauses(Limiter limiter, Request request) {
    thread = new Thread(() -> decide(limiter, request), "decisions");
    thread.start();
    aDecision();
  }

  /**
   * What was found, as the least of all rounds.
   *
   * @param busy the longest pause while the processor was merely busy
   * @param meanwhile the longest pause during the work
   * @param work how long the work took
   */
  public record Found(Duration busy, Duration meanwhile, Duration work) {
    private static final Duration SLACK = Duration.ofMillis(30);

    /**
     * Whether the work held decisions up: for a good part of its time, and far beyond what a busy
     * processor does.
     */
    public boolean heldUp() {
      return meanwhile.compareTo(busy.multipliedBy(3).plus(SLACK)) > 0
          && meanwhile.compareTo(work.dividedBy(4)) > 0;
    }

    private Found or(Found other) {
      return new Found(
          least(busy, other.busy), least(meanwhile, other.meanwhile), least(work, other.work));
    }

    private static Duration least(Duration one, Duration other) {
      return one.compareTo(other) < 0 ? one : other;
    }

    @Override
    public String toString() {
      return "work of %d ms, decisions paused for at most %d ms (%d ms beside mere work)"
          .formatted(work.toMillis(), meanwhile.toMillis(), busy.toMillis());
    }
  }

  /**
   * Does some work in each round, prepared first; in a few more rounds if it seems to hold
   * decisions up.
   */
  public Found during(int rounds, IntFunction<Runnable> prepare) {
    Found found = round(prepare.apply(0));
    for (int i = 1; i < rounds || (found.heldUp() && i < rounds + MORE); i++) {
      found = found.or(round(prepare.apply(i)));
    }
    return found;
  }

  private Found round(Runnable work) {
    long start = CLOCK.micros();
    long meanwhile = longestDuring(work);
    long took = CLOCK.micros() - start;
    long busy = longestDuring(() -> burn(took));
    return new Found(micros(busy), micros(meanwhile), micros(took));
  }

  private long longestDuring(Runnable work) {
    aDecision();
    longest.set(0);
    long collected = collecting();
    work.run();
    // a pause that is not over yet counts too
    aDecision();
    return Math.max(0, longest.get() - (collecting() - collected));
  }

  /** How long collecting garbage has stopped all threads so far. */
  private static long collecting() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .map(TimeUnit.MILLISECONDS::toMicros)
        .sum();
  }

  private void aDecision() {
    long before = decided.get();
    Soon.until(MOST, "a decision", () -> decided.get() > before + 1);
  }

  private static void burn(long micros) {
    long end = CLOCK.micros() + micros;
    while (CLOCK.micros() < end) {
      Thread.onSpinWait();
    }
  }

  private static Duration micros(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  private void decide(Limiter limiter, Request request) {
    long last = CLOCK.micros();
    while (!done.get()) {
      var unused = limiter.decideNow(request);
      long now = CLOCK.micros();
      longest.accumulateAndGet(now - last, Math::max);
      last = now;
      if (decided.incrementAndGet() % AT_ONCE == 0) {
        LockSupport.parkNanos(REST_NANOS);
      }
    }
  }

  @Override
  public void close() {
    done.set(true);
    Soon.until(MOST, "the last decision", () -> !thread.isAlive());
  }
}
