package io.weir.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Gives up decisions whose store has been silent for the deadline.
 *
 * <p>The deadline measures the store, not this node. Silence is counted in ticks, a fifth of the
 * deadline each, and only while the store owes a reply:
 *
 * <ul>
 *   <li>A tick runs on the thread that reads the replies, so what has arrived is read before a
 *       decision is given up.
 *   <li>A late tick shows that this node did not run meanwhile (garbage collection, a CPU quota, a
 *       busy machine). Whatever its delay, it counts as a quarter of a tick.
 *   <li>Late ticks also show that the machine has too little CPU for all that runs on it, perhaps
 *       for a store beside this node, too. Each of the last 64 that was late adds a deadline, up to
 *       three.
 * </ul>
 *
 * So a frozen store costs a node that runs undisturbed the deadline, and a busy one up to four of
 * them plus the time for which it stood still itself.
 *
 * <p>Decisions may be added by any thread. Ticks follow one another and stop while nothing waits.
 */
final class DeadlineQueue implements AutoCloseable {
  private static final int TICKS_PER_DEADLINE = 5;

  /** A tick that would give up a decision comes sooner than others, but not much. */
  private static final int MIN_DELAY_DIVISOR = 4;

  private static final int LATE_TICK_DIVISOR = 4;

  private static final int MAX_EXTRA_DEADLINES = 3;

  /** A stall may hit between reading the replies and the tick, so that the tick is repeated. */
  private static final int MAX_RECHECKS = 3;

  private final Clock clock;
  private final long deadlineMicros;
  private final long tickMicros;
  private final Scheduler scheduler;
  private final AtomicReference<@Nullable PendingDecision> arrived = new AtomicReference<>();
  private final AtomicBoolean ticking = new AtomicBoolean();
  private final List<StoreTimeoutTracker> activeTrackers = new ArrayList<>();
  private long lateTicks; // a bit for each of the last 64, the last one lowest
  private boolean wasIdle;
  private int rechecks;
  private volatile long lastTickAt;
  private volatile long runningMicros;
  private volatile boolean closed;

  /**
   * @param scheduler runs a tick on the thread that reads the replies, after reading what is there
   */
  DeadlineQueue(Clock clock, long deadlineMicros, Scheduler scheduler) {
    this.clock = clock;
    this.deadlineMicros = deadlineMicros;
    this.scheduler = scheduler;
    tickMicros = deadlineMicros / TICKS_PER_DEADLINE;
  }

  void add(PendingDecision ask) {
    PendingDecision last;
    do {
      last = arrived.get();
      ask.nextDue = last;
    } while (!arrived.compareAndSet(last, ask));
    start();
    if (closed) {
      ask.expire();
    }
  }

  private void start() {
    if (!ticking.get() && ticking.compareAndSet(false, true)) {
      lastTickAt = clock.micros();
      scheduler.schedule(tickMicros, this::tick);
    }
  }

  /** The time for which this node has been running while decisions waited; stalls do not count. */
  long runningMicros() {
    return runningMicros + (ticking.get() ? Math.min(clock.micros() - lastTickAt, tickMicros) : 0);
  }

  /** Sets the next tick whatever happens in this one, so that no failure ends the deadlines. */
  private void tick() {
    long delay = tickMicros;
    try {
      delay = closed ? -1 : runTick();
    } finally {
      scheduleNext(delay);
    }
  }

  private void scheduleNext(long delay) {
    if (delay >= 0) {
      scheduler.schedule(delay, this::tick);
      return;
    }
    ticking.set(false);
    if (arrived.get() != null && !closed) {
      start();
    }
  }

  /** Counts one tick; in how many microseconds the next one is due, negative if none is needed. */
  private synchronized long runTick() {
    long now = clock.micros();
    long elapsed = Math.max(0, now - lastTickAt);
    boolean late = elapsed > 2 * tickMicros;
    long counted = late ? tickMicros / LATE_TICK_DIVISOR : elapsed;
    lastTickAt = now;
    runningMicros += counted;
    lateTicks = lateTicks << 1 | (late ? 1 : 0);
    boolean recheck = late && rechecks < MAX_RECHECKS;
    for (StoreTimeoutTracker store : activeTrackers) {
      store.recordTick(counted, now);
    }
    collect(now);
    int extra = Math.min(Long.bitCount(lateTicks), MAX_EXTRA_DEADLINES);
    long patience = deadlineMicros * (1 + extra);
    long next = tickMicros;
    for (StoreTimeoutTracker store : activeTrackers) {
      next = Math.min(next, store.expireOverdue(patience, recheck));
    }
    activeTrackers.removeIf(StoreTimeoutTracker::isEmpty);
    if (next == 0) {
      rechecks++;
    } else {
      rechecks = 0;
      next = Math.max(next, tickMicros / MIN_DELAY_DIVISOR);
    }
    boolean idle = activeTrackers.isEmpty();
    boolean stop = idle && wasIdle; // a lone request now and then does not start it anew each time
    wasIdle = idle;
    return stop ? -1 : next;
  }

  /** Moves the decisions that have arrived, the last first, to the queues of their stores. */
  private void collect(long now) {
    PendingDecision ordered = null;
    for (PendingDecision ask = arrived.getAndSet(null); ask != null; ) {
      PendingDecision earlier = ask.nextDue;
      ask.nextDue = ordered;
      ordered = ask;
      ask = earlier;
    }
    for (PendingDecision ask = ordered; ask != null; ) {
      PendingDecision later = ask.nextDue;
      ask.nextDue = null; // else one that is kept would keep all that came after it
      StoreTimeoutTracker store = ask.timeoutTracker();
      if (!ask.isSettled() && store.add(ask, Math.min(ask.waitedMicros(now), tickMicros), now)) {
        activeTrackers.add(store);
      }
      ask = later;
    }
  }

  /** Ends the ticks; what still waits is answered by the rules' fallbacks. */
  @Override
  public void close() {
    closed = true;
    synchronized (this) {
      collect(clock.micros());
      activeTrackers.forEach(StoreTimeoutTracker::expireAll);
      activeTrackers.clear();
    }
  }
}
