package io.weir.internal.store;

import io.weir.internal.Durations;
import io.weir.internal.rule.Claim;
import io.weir.store.Clock;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Turns {@linkplain RemoteStore remote stores} that may be late, fail or disappear into stores that
 * always answer in time, by the rules' fallbacks if necessary.
 *
 * <p>Several stores may share a guard, such as the shards of a cluster: each has its own circuit
 * breaker and becomes unavailable by itself. Safe for any number of threads.
 */
public final class StoreFailureGuard implements AutoCloseable {
  private static final Logger LOG = System.getLogger(StoreFailureGuard.class.getName());
  private static final long LOG_INTERVAL_MICROS = 10_000_000;

  final Clock clock;
  final long deadlineMicros;
  final int maxPending;
  private final DeadlineQueue deadlines;
  final FallbackDecider fallbackDecider;
  private final StoreListener listener;
  private final Set<GuardedStore> unavailableStores = ConcurrentHashMap.newKeySet();
  private final AtomicLong degradedDecisions = new AtomicLong();
  private final AtomicLong nextLogAt = new AtomicLong();

  /**
   * @param clock must never step back; local shares of budgets are counted by it
   * @param deadline how long a store may leave a decision without an answer, queueing included
   * @param maxPending how many decisions may be pending for each store at once
   * @param scheduler runs tasks on the thread that reads the stores' replies, after it has read the
   *     available ones
   */
  public StoreFailureGuard(
      Clock clock, Duration deadline, int maxPending, StoreListener listener, Scheduler scheduler) {
    if (deadline.toNanos() < 1_000_000 || deadline.compareTo(Duration.ofMinutes(1)) > 0) {
      throw new IllegalArgumentException(
          "store-deadline must be between 1ms and 1m (was "
              + Durations.format(deadline)
              + "), for example 5ms");
    }
    if (maxPending < 1) {
      throw new IllegalArgumentException(
          "the number of pending decisions must be at least 1 (was " + maxPending + ")");
    }
    this.clock = clock;
    this.deadlineMicros = deadline.toNanos() / 1000;
    this.maxPending = maxPending;
    this.listener = listener;
    deadlines = new DeadlineQueue(clock, this.deadlineMicros, scheduler);
    fallbackDecider = new FallbackDecider(clock);
  }

  /** Returns a store that always answers, backed by the remote one. */
  public ClaimStore wrap(RemoteStore remote) {
    return new GuardedStore(remote, this);
  }

  /** Whether all stores behind this guard answer. */
  public boolean isAvailable() {
    return unavailableStores.stream().noneMatch(GuardedStore::isUnavailable);
  }

  /** Probes the unavailable stores, so that those without traffic recover; call it periodically. */
  public void probe() {
    unavailableStores.forEach(GuardedStore::probe);
  }

  /** This node's clock. */
  public Clock clock() {
    return clock;
  }

  /** How long this node has been running while decisions were pending, without stalls. */
  public long runningMicros() {
    return deadlines.runningMicros();
  }

  /**
   * Whether a decision that began at that {@linkplain #runningMicros running time} has used nine
   * tenths of its deadline, so that no further store should be called for it.
   */
  public boolean isDeadlineNear(long began) {
    return runningMicros() - began >= deadlineMicros / 10 * 9;
  }

  /** Decides by the rules' fallbacks, for a store that is not called. */
  public ClaimOutcome[] fallbackFor(Claim[] claims, StoreOperation operation, long when) {
    degradedDecisions.incrementAndGet();
    return fallbackDecider.decide(claims, operation, when);
  }

  /** How many decisions were answered by fallbacks so far. */
  public long degradedDecisions() {
    return degradedDecisions.get();
  }

  /** Completes the decision with the fallbacks if its deadline expires first. */
  void enforceDeadline(PendingDecision decision) {
    deadlines.add(decision);
  }

  void recordAnswer(StoreOperation operation, long micros) {
    if (listener != StoreListener.NONE) {
      notifyListener(l -> l.onAnswer(operation, micros));
    }
  }

  void recordFailure(StoreFailureKind kind, String reason) {
    degradedDecisions.incrementAndGet();
    notifyListener(l -> l.onFailure(kind, reason));
    long now = clock.micros();
    long at = nextLogAt.get();
    if (now >= at && nextLogAt.compareAndSet(at, now + LOG_INTERVAL_MICROS)) {
      LOG.log(
          Level.WARNING,
          "the store did not answer ({0}); rules use their fallback, {1} decisions so far",
          reason,
          degradedDecisions.get());
    }
  }

  void markUnavailable(GuardedStore store, String reason) {
    unavailableStores.add(store);
    LOG.log(Level.WARNING, "the store is unavailable ({0}); probing it until it answers", reason);
    notifyListener(l -> l.onUnavailable(reason));
  }

  void markRecovered(GuardedStore store, long outageMicros) {
    unavailableStores.remove(store);
    LOG.log(Level.INFO, "the store answers again after {0} ms", outageMicros / 1000);
    notifyListener(l -> l.onRecovery(Duration.ofNanos(outageMicros * 1000)));
  }

  /** Reports states of a store that cannot be valid to the listener. */
  public void reportCorruptStates(int states) {
    notifyListener(l -> l.onCorruptStates(states));
  }

  /** Removes a store that is closed. */
  void forget(GuardedStore store) {
    unavailableStores.remove(store);
  }

  /** Calls the listener; its exceptions do not affect decisions. */
  private void notifyListener(Consumer<StoreListener> event) {
    try {
      event.accept(listener);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "a store listener fails; decisions are not affected", e);
    }
  }

  /** Stops the deadlines; pending decisions are answered by the rules' fallbacks. */
  @Override
  public void close() {
    deadlines.close();
  }
}
