package io.weir.internal.store.nodes;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.internal.store.Scheduler;
import io.weir.internal.store.StoreFailureGuard;
import io.weir.rule.Rule;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;

/** Simulated nodes on one shared store, with a clock that advances only when the test calls. */
final class SimulatedNodes implements Clock, Scheduler {
  static final Duration DEADLINE = Duration.ofMillis(5);
  private static final Fingerprint FINGERPRINT = new Fingerprint(1, 2);

  private record TimedTask(long at, long number, Runnable task) {}

  private final PriorityQueue<TimedTask> tasks =
      new PriorityQueue<>(Comparator.comparingLong(TimedTask::at).thenComparing(TimedTask::number));
  private long now = 1_700_000_000_000_000L;
  private long scheduled;

  /** The counters of the shared store. */
  final MemoryStore counters = new MemoryStore(this::storeMicros, 16 << 20);

  /** How far the store's clock is ahead of the clock of the nodes. */
  long storeAheadMicros;

  int storeCalls;
  boolean storeUnavailable;
  long storeLatencyMicros;

  @Override
  public long micros() {
    return now;
  }

  private long storeMicros() {
    return now + storeAheadMicros;
  }

  @Override
  public void schedule(long micros, Runnable task) {
    tasks.add(new TimedTask(now + micros, scheduled++, task));
  }

  /** Advances time, running every task when it is due. */
  void advance(Duration time) {
    long until = now + time.toNanos() / 1000;
    while (!tasks.isEmpty() && tasks.element().at() <= until) {
      TimedTask next = tasks.remove();
      now = Math.max(now, next.at());
      next.task().run();
    }
    now = until;
  }

  RoutingStore node(Duration spikeThreshold) {
    StoreFailureGuard guard = new StoreFailureGuard(this, DEADLINE, 1000, StoreListener.NONE, this);
    return new RoutingStore(new SharedStoreStub(), guard, this, spikeThreshold);
  }

  RoutingStore node() {
    return node(Duration.ZERO);
  }

  static Claim claim(Rule rule, long cost) {
    return Claim.of(CompiledRule.of(rule).limits().get(0), FINGERPRINT.of("all"), cost);
  }

  static Claim claim(Rule rule, String caller) {
    return Claim.of(CompiledRule.of(rule).limits().get(0), FINGERPRINT.of(caller), 1);
  }

  /** Sends that many requests of a caller at once; returns how many are admitted. */
  static int take(ClaimStore store, Rule rule, String caller, int requests) {
    Claim[] claim = {claim(rule, caller)};
    int admitted = 0;
    for (int i = 0; i < requests; i++) {
      admitted += store.apply(claim, StoreOperation.TAKE).join()[0].admitted() ? 1 : 0;
    }
    return admitted;
  }

  static ClaimOutcome take(ClaimStore store, Rule rule) {
    return store.apply(new Claim[] {claim(rule, 1)}, StoreOperation.TAKE).join()[0];
  }

  /** Sends that many requests evenly over a time; returns how many are admitted. */
  int sendEvenly(ClaimStore store, Rule rule, int requests, Duration time) {
    int admitted = 0;
    for (int i = 0; i < requests; i++) {
      admitted += take(store, rule).admitted() ? 1 : 0;
      advance(time.dividedBy(requests));
    }
    return admitted;
  }

  /** The permits that the shared store has left. */
  long remaining(Rule rule) {
    return counters.apply(new Claim[] {claim(rule, 1)}, StoreOperation.PEEK).join()[0].remaining();
  }

  /** The shared store as a node sees it: it may be slow, or unavailable with fallback answers. */
  final class SharedStoreStub implements ClaimStore {
    @Override
    public CompletableFuture<ClaimOutcome[]> apply(
        Claim[] claims, StoreOperation operation, long when) {
      storeCalls++;
      if (storeUnavailable) {
        ClaimOutcome[] none = new ClaimOutcome[claims.length];
        java.util.Arrays.fill(none, ClaimOutcome.degraded(true, now));
        return CompletableFuture.completedFuture(none);
      }
      ClaimOutcome[] outcomes = counters.apply(claims, operation, when).join();
      now += storeLatencyMicros;
      return CompletableFuture.completedFuture(outcomes);
    }

    @Override
    public Fingerprint fingerprint() {
      return FINGERPRINT;
    }
  }
}
