package io.weir.redis;

import io.weir.rule.Claim;
import io.weir.store.ClaimOutcome;
import io.weir.store.Clock;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;

/** Callers that ask a store one question after the other, each on a thread of its own. */
final class RedisLoadGenerator implements AutoCloseable {
  private static final Clock CLOCK = Clock.system();
  private static final long PACE_NANOS = 500_000;
  private static final long JOIN_TIMEOUT_MILLIS = 60_000;

  /**
   * One question; times in microseconds.
   *
   * @param wakeupLagMicros how late its caller came back from the pause before it, which is what
   *     the machine costs whoever waits, and no fault of the store
   */
  record RedisLoadSample(
      int caller,
      long startMicros,
      long elapsedMicros,
      long wakeupLagMicros,
      List<ClaimOutcome> outcomes) {
    boolean degraded() {
      return outcomes.stream().anyMatch(ClaimOutcome::degraded);
    }

    boolean withinLimits() {
      return outcomes.stream().allMatch(ClaimOutcome::admitted);
    }

    boolean admitted() {
      return withinLimits() && !degraded();
    }

    long endMicros() {
      return startMicros + elapsedMicros;
    }

    @Override
    public String toString() {
      return "caller " + caller + " after " + elapsedMicros + " us: " + outcomes;
    }
  }

  private final Store store;
  private final List<Thread> threads = new ArrayList<>();
  private final List<List<RedisLoadSample>> samples = new ArrayList<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final AtomicInteger answeredInARow = new AtomicInteger();
  private final AtomicInteger askedCount = new AtomicInteger();
  private final AtomicInteger degradedCount = new AtomicInteger();
  private final AtomicInteger admittedCount = new AtomicInteger();
  private volatile boolean stopped;

  private RedisLoadGenerator(Store store) {
    this.store = store;
  }

  /** Begins; what each caller claims is asked for anew each time. */
  static RedisLoadGenerator start(Store store, int callers, IntFunction<Claim[]> claims) {
    RedisLoadGenerator load = new RedisLoadGenerator(store);
    for (int i = 0; i < callers; i++) {
      int caller = i;
      List<RedisLoadSample> own = new ArrayList<>();
      load.samples.add(own);
      Thread thread = new Thread(() -> load.runCaller(caller, claims, own), "load-" + i);
      thread.setDaemon(true);
      load.threads.add(thread);
    }
    load.threads.forEach(Thread::start);
    return load;
  }

  static long nowMicros() {
    return CLOCK.micros();
  }

  private void runCaller(int caller, IntFunction<Claim[]> claims, List<RedisLoadSample> own) {
    long lag = 0;
    while (!stopped) {
      long began = nowMicros();
      try {
        ClaimOutcome[] outcomes = store.apply(claims.apply(caller), StoreOperation.TAKE).join();
        record(
            own, new RedisLoadSample(caller, began, nowMicros() - began, lag, List.of(outcomes)));
      } catch (RuntimeException | Error e) {
        failures.add(e);
      }
      long paused = nowMicros();
      LockSupport.parkNanos(PACE_NANOS);
      lag = Math.max(0, nowMicros() - paused - PACE_NANOS / 1000);
    }
  }

  private void record(List<RedisLoadSample> own, RedisLoadSample sample) {
    own.add(sample);
    askedCount.incrementAndGet();
    if (sample.degraded()) {
      answeredInARow.set(0);
      degradedCount.incrementAndGet();
    } else {
      answeredInARow.incrementAndGet();
      admittedCount.addAndGet(sample.withinLimits() ? 1 : 0);
    }
  }

  /**
   * How many were answered by the store since the last that was not, or since {@link
   * #resetAnsweredInARow}.
   */
  int answeredInARow() {
    return answeredInARow.get();
  }

  /** Begins to count those in a row anew: as many as there are callers were asked before. */
  void resetAnsweredInARow() {
    answeredInARow.set(0);
  }

  int degradedCount() {
    return degradedCount.get();
  }

  /** How many were asked. */
  int askedCount() {
    return askedCount.get();
  }

  /** How many the store has admitted. */
  int admittedCount() {
    return admittedCount.get();
  }

  /** Ends it: every question has come back, and none with an exception. */
  List<RedisLoadSample> stop() {
    close();
    for (Thread thread : threads) {
      try {
        thread.join(JOIN_TIMEOUT_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
      if (thread.isAlive()) {
        throw new AssertionError("a decision does not come back");
      }
    }
    Throwable failure = failures.peek();
    if (failure != null) {
      throw new AssertionError(failures.size() + " exceptions reached callers", failure);
    }
    return samples.stream().flatMap(List::stream).toList();
  }

  @Override
  public void close() {
    stopped = true;
  }

  /** The time that all but one in a hundred needed less than. */
  static long p99Micros(List<RedisLoadSample> some) {
    return p99Micros(some, RedisLoadSample::elapsedMicros);
  }

  /** The same for what the machine costs a question, whose waiting ends by two threads' waking. */
  static long p99LagMicros(List<RedisLoadSample> some) {
    return 2 * p99Micros(some, RedisLoadSample::wakeupLagMicros);
  }

  private static long p99Micros(List<RedisLoadSample> some, ToLongFunction<RedisLoadSample> what) {
    long[] values = some.stream().mapToLong(what).sorted().toArray();
    if (values.length < 100) {
      throw new AssertionError("too few questions to tell: " + values.length);
    }
    return values[values.length * 99 / 100];
  }
}
