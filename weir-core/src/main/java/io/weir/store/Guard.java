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
 * Makes {@linkplain Remote stores} that may be late, fail or vanish into stores that always answer
 * in time, by the rules' postures if need be.
 *
 * <p>Several stores may share a guard, such as the shards of a cluster: each is lost and found by
 * itself. Safe for any number of threads.
 */
public final class Guard implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Guard.class.getName());
  private static final long LOG_EVERY = 10_000_000;

  final Clock clock;
  final long deadline;
  final int maxWaiting;
  private final DeadlineQueue deadlines;
  final Postures postures;
  private final StoreListener listener;
  private final Set<GuardedStore> lost = ConcurrentHashMap.newKeySet();
  private final AtomicLong degraded = new AtomicLong();
  private final AtomicLong nextLog = new AtomicLong();

  /**
   * @param clock never steps back; the node's own shares of budgets are counted by it
   * @param deadline for how long a store may be silent, the time a decision queues included
   * @param maxWaiting how many decisions may wait for each store at once
   * @param scheduler runs tasks on the thread that reads the stores' replies, after reading what is
   *     there
   */
  public Guard(
      Clock clock, Duration deadline, int maxWaiting, StoreListener listener, Alarm scheduler) {
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
    this.deadline = deadline.toNanos() / 1000;
    this.maxWaiting = maxWaiting;
    this.listener = listener;
    deadlines = new DeadlineQueue(clock, this.deadline, scheduler);
    postures = new Postures(clock);
  }

  /** A store that asks the remote one. */
  public Store over(Remote remote) {
    return new GuardedStore(remote, this);
  }

  /** Whether every store behind it answers. */
  public boolean available() {
    return lost.stream().noneMatch(GuardedStore::isLost);
  }

  /** Asks the lost stores whether they answer, for those whom nobody asks; call it now and then. */
  public void probe() {
    lost.forEach(GuardedStore::probe);
  }

  /** This node's clock. */
  public Clock clock() {
    return clock;
  }

  /** The time for which this node has been running while decisions waited, in microseconds. */
  public long liveMicros() {
    return deadlines.liveMicros();
  }

  /**
   * Whether a decision that began at that {@linkplain #liveMicros live time} has had nine tenths of
   * its time, so that nobody is asked.
   */
  public boolean isLate(long began) {
    return liveMicros() - began >= deadline / 10 * 9;
  }

  /** Answers for a store that is not asked, by the rules' postures. */
  public Outcome[] answerFor(Claim[] claims, Mode mode, long when) {
    degraded.incrementAndGet();
    return postures.answer(claims, mode, when);
  }

  /** How many decisions were answered by postures so far. */
  public long degraded() {
    return degraded.get();
  }

  /** Ends a decision at its deadline. */
  void limit(Ask ask) {
    deadlines.add(ask);
  }

  void answered(Mode mode, long micros) {
    if (listener != StoreListener.NONE) {
      tell(l -> l.answered(mode, micros));
    }
  }

  void failed(StoreException.Kind kind, String reason) {
    degraded.incrementAndGet();
    tell(l -> l.failed(kind, reason));
    long now = clock.micros();
    long at = nextLog.get();
    if (now >= at && nextLog.compareAndSet(at, now + LOG_EVERY)) {
      LOG.log(
          Level.WARNING,
          "the store has no answer ({0}); rules answer by their posture, {1} decisions so far",
          reason,
          degraded.get());
    }
  }

  void lost(GuardedStore store, String reason) {
    lost.add(store);
    LOG.log(Level.WARNING, "the store is lost ({0}); probing it until it answers", reason);
    tell(l -> l.lost(reason));
  }

  void found(GuardedStore store, long away) {
    lost.remove(store);
    LOG.log(Level.INFO, "the store answers again after {0} ms", away / 1000);
    tell(l -> l.found(Duration.ofNanos(away * 1000)));
  }

  /** Passes on that a store held what it could not have written. */
  public void corrupt(int states) {
    tell(l -> l.corrupt(states));
  }

  /** Forgets a store that is asked no more. */
  void retired(GuardedStore store) {
    lost.remove(store);
  }

  /** Tells the listener, whose failures are its own. */
  private void tell(Consumer<StoreListener> what) {
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
