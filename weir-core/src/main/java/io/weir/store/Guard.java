package io.weir.store;

import io.weir.rule.Claim;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
  private final @Nullable Watch watch;
  private final Consumer<Ask> deadlines;
  final Postures postures;
  private final StoreListener listener;
  private final Set<GuardedStore> lost = ConcurrentHashMap.newKeySet();
  private final AtomicLong degraded = new AtomicLong();
  private final AtomicLong nextLog = new AtomicLong();

  /**
   * @param clock never steps back; deadlines are measured and shares counted by it
   * @param deadline how long a decision may take, waiting for its turn included
   * @param maxWaiting how many decisions may wait for each store at once
   */
  public Guard(Clock clock, Duration deadline, int maxWaiting, StoreListener listener) {
    this(clock, deadline, maxWaiting, listener, null);
  }

  /**
   * As above.
   *
   * @param alarm rings when deadlines have passed; null for a thread that sees to it
   */
  public Guard(
      Clock clock,
      Duration deadline,
      int maxWaiting,
      StoreListener listener,
      @Nullable Alarm alarm) {
    if (deadline.toNanos() < 1_000_000 || deadline.compareTo(Duration.ofMinutes(1)) > 0) {
      throw new IllegalArgumentException(
          "a store deadline of " + deadline + " cannot be; write 1ms to 1m, such as 5ms");
    }
    if (maxWaiting < 1) {
      throw new IllegalArgumentException(
          maxWaiting + " decisions at once cannot be; write at least 1");
    }
    this.clock = clock;
    this.deadline = deadline.toNanos() / 1000;
    this.maxWaiting = maxWaiting;
    this.listener = listener;
    watch = alarm == null ? new Watch(clock) : null;
    deadlines =
        watch != null
            ? watch::add
            : ask -> Objects.requireNonNull(alarm).after(this.deadline, ask::expire);
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

  /**
   * Whether a decision that began then has had nine tenths of its time, so that nobody is asked.
   */
  public boolean isLate(long began) {
    return clock.micros() - began >= deadline / 10 * 9;
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
    deadlines.accept(ask);
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

  /** Ends the watch; what still waits is answered by postures. */
  @Override
  public void close() {
    if (watch != null) {
      watch.close();
    }
  }
}
