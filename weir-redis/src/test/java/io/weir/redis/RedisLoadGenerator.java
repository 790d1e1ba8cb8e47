package io.weir.redis;

import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;

/** Generates load: callers that take permits in sequence, each on its own thread. */
final class RedisLoadGenerator implements AutoCloseable {
  private static final Clock CLOCK = Clock.system();
  private static final long PACE_NANOS = 500_000;
  private static final long JOIN_TIMEOUT_MILLIS = 60_000;

  /**
   * One request and its outcomes; times in microseconds.
   *
   * @param wakeupLagMicros how late the caller's thread woke up from the pause before the request,
   *     which is a delay of the machine, not of the store
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

  private final ClaimStore store;
  private final List<Thread> threads = new ArrayList<>();
  private final List<List<RedisLoadSample>> samples = new ArrayList<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final AtomicInteger answeredInARow = new AtomicInteger();
  private final AtomicInteger askedCount = new AtomicInteger();
  private final AtomicInteger degradedCount = new AtomicInteger();
  private final AtomicInteger admittedCount = new AtomicInteger();
  private volatile boolean stopped;

  private RedisLoadGenerator(ClaimStore store) {
    this.store = store;
  }

  /** Starts the callers; the claims are computed anew for each request. */
  static RedisLoadGenerator start(ClaimStore store, int callers, IntFunction<Claim[]> claims) {
    RedisLoadGenerator load = new RedisLoadGenerator(store);
    for (int i = 0; i < callers; i++) {
      int caller = i;
      List<RedisLoadSample> ownSamples = new ArrayList<>();
      load.samples.add(ownSamples);
      Thread thread = new Thread(() -> load.runCaller(caller, claims, ownSamples), "load-" + i);
      thread.setDaemon(true);
      load.threads.add(thread);
    }
    load.threads.forEach(Thread::start);
    return load;
  }

  static long nowMicros() {
    return CLOCK.micros();
  }

  private void runCaller(
      int caller, IntFunction<Claim[]> claims, List<RedisLoadSample> ownSamples) {
    long lag = 0;
    while (!stopped) {
      long startMicros = nowMicros();
      try {
        ClaimOutcome[] outcomes = store.apply(claims.apply(caller), StoreOperation.TAKE).join();
        record(
            ownSamples,
            new RedisLoadSample(
                caller, startMicros, nowMicros() - startMicros, lag, List.of(outcomes)));
      } catch (RuntimeException | Error e) {
        failures.add(e);
      }
      long paused = nowMicros();
      LockSupport.parkNanos(PACE_NANOS);
      lag = Math.max(0, nowMicros() - paused - PACE_NANOS / 1000);
    }
  }

  private void record(List<RedisLoadSample> ownSamples, RedisLoadSample sample) {
    ownSamples.add(sample);
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
   * Returns the requests answered by the store since the last fallback or {@link
   * #resetAnsweredInARow}.
   */
  int answeredInARow() {
    return answeredInARow.get();
  }

  /** Resets that count; up to one request per caller may have been sent before. */
  void resetAnsweredInARow() {
    answeredInARow.set(0);
  }

  int degradedCount() {
    return degradedCount.get();
  }

  /** Returns the number of requests answered. */
  int askedCount() {
    return askedCount.get();
  }

  /** Returns the number of requests the store has admitted. */
  int admittedCount() {
    return admittedCount.get();
  }

  /** Stops the callers and checks that every request completed, none with an exception. */
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
        throw new AssertionError("a decision does not complete");
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

  /** Returns the 99th percentile of the elapsed times. */
  static long p99Micros(List<RedisLoadSample> samples) {
    return p99Micros(samples, RedisLoadSample::elapsedMicros);
  }

  /** Returns the same for the delay by the machine; a request needs two threads to wake up. */
  static long p99LagMicros(List<RedisLoadSample> samples) {
    return 2 * p99Micros(samples, RedisLoadSample::wakeupLagMicros);
  }

  private static long p99Micros(
      List<RedisLoadSample> samples, ToLongFunction<RedisLoadSample> value) {
    long[] sortedMicros = samples.stream().mapToLong(value).sorted().toArray();
    if (sortedMicros.length < 100) {
      throw new AssertionError("too few samples: " + sortedMicros.length);
    }
    return sortedMicros[sortedMicros.length * 99 / 100];
  }
}
