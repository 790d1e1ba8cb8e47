package io.weir.redis;

import io.weir.rule.Claim;
import io.weir.store.Clock;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;

/** Callers that ask a store one question after the other, each on a thread of its own. */
final class Load implements AutoCloseable {
  private static final Clock CLOCK = Clock.system();
  private static final long PACE_NANOS = 500_000;
  private static final long PATIENCE_MS = 60_000;

  /**
   * One question; times in microseconds.
   *
   * @param lag how late its caller came back from the pause before it, which is what the machine
   *     costs whoever waits, and no fault of the store
   */
  record Sample(int caller, long began, long took, long lag, List<Outcome> outcomes) {
    boolean degraded() {
      return outcomes.stream().anyMatch(Outcome::degraded);
    }

    boolean fits() {
      return outcomes.stream().allMatch(Outcome::fits);
    }

    boolean admitted() {
      return fits() && !degraded();
    }

    long ended() {
      return began + took;
    }

    @Override
    public String toString() {
      return "caller " + caller + " after " + took + " us: " + outcomes;
    }
  }

  private final Store store;
  private final List<Thread> threads = new ArrayList<>();
  private final List<List<Sample>> samples = new ArrayList<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final AtomicInteger inARow = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger degraded = new AtomicInteger();
  private final AtomicInteger admitted = new AtomicInteger();
  private volatile boolean stopped;

  private Load(Store store) {
    this.store = store;
  }

  /** Begins; what each caller claims is asked for anew each time. */
  static Load on(Store store, int callers, IntFunction<Claim[]> claims) {
    Load load = new Load(store);
    for (int i = 0; i < callers; i++) {
      int caller = i;
      List<Sample> own = new ArrayList<>();
      load.samples.add(own);
      Thread thread = new Thread(() -> load.run(caller, claims, own), "load-" + i);
      thread.setDaemon(true);
      load.threads.add(thread);
    }
    load.threads.forEach(Thread::start);
    return load;
  }

  static long now() {
    return CLOCK.micros();
  }

  private void run(int caller, IntFunction<Claim[]> claims, List<Sample> own) {
    long lag = 0;
    while (!stopped) {
      long began = now();
      try {
        Outcome[] outcomes = store.take(claims.apply(caller), Mode.TAKE).join();
        note(own, new Sample(caller, began, now() - began, lag, List.of(outcomes)));
      } catch (RuntimeException | Error e) {
        failures.add(e);
      }
      long paused = now();
      LockSupport.parkNanos(PACE_NANOS);
      lag = Math.max(0, now() - paused - PACE_NANOS / 1000);
    }
  }

  private void note(List<Sample> own, Sample sample) {
    own.add(sample);
    asked.incrementAndGet();
    if (sample.degraded()) {
      inARow.set(0);
      degraded.incrementAndGet();
    } else {
      inARow.incrementAndGet();
      admitted.addAndGet(sample.fits() ? 1 : 0);
    }
  }

  /** How many were answered by the store since the last that was not, or since {@link #anew}. */
  int inARow() {
    return inARow.get();
  }

  /** Begins to count those in a row anew: as many as there are callers were asked before. */
  void anew() {
    inARow.set(0);
  }

  int degraded() {
    return degraded.get();
  }

  /** How many were asked. */
  int asked() {
    return asked.get();
  }

  /** How many the store has admitted. */
  int admitted() {
    return admitted.get();
  }

  /** Ends it: every question has come back, and none with an exception. */
  List<Sample> stop() {
    close();
    for (Thread thread : threads) {
      try {
        thread.join(PATIENCE_MS);
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
  static long p99(List<Sample> some) {
    return p99(some, Sample::took);
  }

  /** The same for what the machine costs a question, whose waiting ends by two threads' waking. */
  static long p99Lag(List<Sample> some) {
    return 2 * p99(some, Sample::lag);
  }

  private static long p99(List<Sample> some, ToLongFunction<Sample> what) {
    long[] values = some.stream().mapToLong(what).sorted().toArray();
    if (values.length < 100) {
      throw new AssertionError("too few questions to tell: " + values.length);
    }
    return values[values.length * 99 / 100];
  }
}
