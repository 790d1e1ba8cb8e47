package io.weir.store;

import io.weir.rule.Claim;
import io.weir.rule.Durations;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Makes {@linkplain RemoteStore stores} that may be late, fail or vanish into stores that always
 * answer in time, by the rules' postures if need be.
 *
 * <p>Several stores may share a guard, such as the shards of a cluster: each is lost and found by
 * itself. Safe for any number of threads.
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
   * @param clock never steps back; the node's own shares of budgets are counted by it
   * @param deadline for how long a store may be silent, the time a decision queues included
   * @param maxWaiting how many decisions may wait for each store at once
   * @param scheduler runs tasks on the thread that reads the stores' replies, after reading what is
   *     there
   */
  public StoreFailureGuard(
      Clock clock, Duration deadline, int maxWaiting, StoreListener listener, Scheduler scheduler) {
    if (deadline.toNanos() < 1_000_000 || deadline.compareTo(Duration.ofMinutes(1)) > 0) {
      throw new IllegalArgumentException(
          "store-deadline must be between 1ms and 1m (was "
              + Durations.format(deadline)
              + "), for example 5ms");
    }
    if (maxWaiting < 1) {
      throw new IllegalArgumentException(
          maxWaiting + " decisions at once cannot be; write at least 1");
    }
    this.clock = clock;
    this.deadlineMicros = deadline.toNanos() / 1000;
    this.maxPending = maxWaiting;
    this.listener = listener;
    deadlines = new DeadlineQueue(clock, this.deadlineMicros, scheduler);
    fallbackDecider = new FallbackDecider(clock);
  }

  /** A store that asks the remote one. */
  public Store wrap(RemoteStore remote) {
    return new GuardedStore(remote, this);
  }

  /** Whether every store behind it answers. */
  public boolean isAvailable() {
    return unavailableStores.stream().noneMatch(GuardedStore::isUnavailable);
  }

  /** Asks the lost stores whether they answer, for those whom nobody asks; call it now and then. */
  public void probe() {
    unavailableStores.forEach(GuardedStore::probe);
  }

  /** This node's clock. */
  public Clock clock() {
    return clock;
  }

  /** The time for which this node has been running while decisions waited, in microseconds. */
  public long runningMicros() {
    return deadlines.runningMicros();
  }

  /**
   * Whether a decision that began at that {@linkplain #runningMicros live time} has had nine tenths
   * of its time, so that nobody is asked.
   */
  public boolean isDeadlineNear(long began) {
    return runningMicros() - began >= deadlineMicros / 10 * 9;
  }

  /** Answers for a store that is not asked, by the rules' postures. */
  public ClaimOutcome[] fallbackFor(Claim[] claims, StoreOperation mode, long when) {
    degradedDecisions.incrementAndGet();
    return fallbackDecider.decide(claims, mode, when);
  }

  /** How many decisions were answered by postures so far. */
  public long degradedDecisions() {
    return degradedDecisions.get();
  }

  /** Ends a decision at its deadline. */
  void enforceDeadline(PendingDecision ask) {
    deadlines.add(ask);
  }

  void recordAnswer(StoreOperation mode, long micros) {
    if (listener != StoreListener.NONE) {
      notifyListener(l -> l.onAnswer(mode, micros));
    }
  }

  void recordFailure(StoreException.StoreFailureKind kind, String reason) {
    degradedDecisions.incrementAndGet();
    notifyListener(l -> l.onFailure(kind, reason));
    long now = clock.micros();
    long at = nextLogAt.get();
    if (now >= at && nextLogAt.compareAndSet(at, now + LOG_INTERVAL_MICROS)) {
      LOG.log(
          Level.WARNING,
          "the store has no answer ({0}); rules answer by their posture, {1} decisions so far",
          reason,
          degradedDecisions.get());
    }
  }

  void markUnavailable(GuardedStore store, String reason) {
    unavailableStores.add(store);
    LOG.log(Level.WARNING, "the store is lost ({0}); probing it until it answers", reason);
    notifyListener(l -> l.onUnavailable(reason));
  }

  void markRecovered(GuardedStore store, long away) {
    unavailableStores.remove(store);
    LOG.log(Level.INFO, "the store answers again after {0} ms", away / 1000);
    notifyListener(l -> l.onRecovery(Duration.ofNanos(away * 1000)));
  }

  /** Passes on that a store held what it could not have written. */
  public void reportCorruptStates(int states) {
    notifyListener(l -> l.onCorruptStates(states));
  }

  /** Forgets a store that is asked no more. */
  void forget(GuardedStore store) {
    unavailableStores.remove(store);
  }

  /** Tells the listener, whose failures are its own. */
  private void notifyListener(Consumer<StoreListener> what) {
    try {
      what.accept(listener);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "a store listener fails; decisions are not affected", e);
    }
  }

  /** Ends the deadlines; what still waits is answered by the rules' fallbacks. */
  @Override
  public void close() {
    deadlines.close();
  }
}
