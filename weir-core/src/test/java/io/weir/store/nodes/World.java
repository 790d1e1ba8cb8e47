package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Rule;
import io.weir.store.Alarm;
import io.weir.store.Clock;
import io.weir.store.Guard;
import io.weir.store.MemoryStore;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;

/** Nodes on one store, under a clock that moves when it is told to. */
final class World implements Clock, Alarm {
  static final Duration DEADLINE = Duration.ofMillis(5);
  private static final Fingerprint FINGERPRINT = new Fingerprint(1, 2);

  private record Bell(long at, long number, Runnable task) {}

  private final PriorityQueue<Bell> bells =
      new PriorityQueue<>(Comparator.comparingLong(Bell::at).thenComparing(Bell::number));
  private long now = 1_700_000_000_000_000L;
  private long rung;

  /** The store they share, and how often it was asked what. */
  final MemoryStore counters = new MemoryStore(this::storeMicros, 16 << 20);

  /** How far the store's clock is ahead of the nodes'. */
  long storeAhead;

  int calls;
  boolean away;
  long slowBy;

  @Override
  public long micros() {
    return now;
  }

  private long storeMicros() {
    return now + storeAhead;
  }

  @Override
  public void after(long micros, Runnable task) {
    bells.add(new Bell(now + micros, rung++, task));
  }

  /** Lets time pass, and what is due happen. */
  void pass(Duration time) {
    long until = now + time.toNanos() / 1000;
    while (!bells.isEmpty() && bells.element().at() <= until) {
      Bell next = bells.remove();
      now = Math.max(now, next.at());
      next.task().run();
    }
    now = until;
  }

  RoutedStore node(Duration spike) {
    Guard guard = new Guard(this, DEADLINE, 1000, StoreListener.NONE, this);
    return new RoutedStore(new Shared(), guard, this, spike);
  }

  RoutedStore node() {
    return node(Duration.ZERO);
  }

  static Claim claim(Rule rule, long cost) {
    return Claim.of(rule.limits().get(0), FINGERPRINT.of("all"), cost);
  }

  static Claim claim(Rule rule, String caller) {
    return Claim.of(rule.limits().get(0), FINGERPRINT.of(caller), 1);
  }

  /** How many of so many requests of a caller are admitted, all at once. */
  static int take(Store store, Rule rule, String caller, int requests) {
    Claim[] claim = {claim(rule, caller)};
    int admitted = 0;
    for (int i = 0; i < requests; i++) {
      admitted += store.take(claim, Mode.TAKE).join()[0].fits() ? 1 : 0;
    }
    return admitted;
  }

  static Outcome take(Store store, Rule rule) {
    return store.take(new Claim[] {claim(rule, 1)}, Mode.TAKE).join()[0];
  }

  /** So many requests, evenly over a time; how many were admitted. */
  int pace(Store store, Rule rule, int requests, Duration time) {
    int admitted = 0;
    for (int i = 0; i < requests; i++) {
      admitted += take(store, rule).fits() ? 1 : 0;
      pass(time.dividedBy(requests));
    }
    return admitted;
  }

  /** What the shared store has left. */
  long left(Rule rule) {
    return counters.take(new Claim[] {claim(rule, 1)}, Mode.PEEK).join()[0].remaining();
  }

  /** The shared store as a node sees it: it may be slow, or away and answered for by postures. */
  final class Shared implements Store {
    @Override
    public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
      calls++;
      if (away) {
        Outcome[] none = new Outcome[claims.length];
        java.util.Arrays.fill(none, Outcome.degraded(true, now));
        return CompletableFuture.completedFuture(none);
      }
      Outcome[] said = counters.take(claims, mode, when).join();
      now += slowBy;
      return CompletableFuture.completedFuture(said);
    }

    @Override
    public Fingerprint fingerprint() {
      return FINGERPRINT;
    }
  }
}
