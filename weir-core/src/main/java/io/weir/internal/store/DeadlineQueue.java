package io.weir.internal.store;

import io.weir.store.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Expires decisions whose store has been silent for the deadline.
 *
 * <p>The deadline measures the store, not this node. Silence is counted in ticks, a fifth of the
 * deadline each, and only while a reply of the store is outstanding:
 *
 * <ul>
 *   <li>A tick runs on the thread that reads the replies, so all replies that have arrived are read
 *       before a decision expires.
 *   <li>A late tick shows that this node did not run meanwhile (garbage collection, a CPU quota, a
 *       busy machine). However late it is, it counts as a quarter of a tick.
 *   <li>Late ticks also show that the machine has too little CPU for all its processes, which may
 *       include the store. Each late tick of the last 64 adds a deadline, up to three.
 *   <li>The requests that accumulate during a stall are answered one batch after the other, while
 *       replies are outstanding all the time. As long as no call is unanswered for a deadline, the
 *       stall is added, minus the time for which the node has run since, up to 20 deadlines: at the
 *       default deadline, a whole period of a CPU quota.
 * </ul>
 *
 * So a frozen store delays decisions by one deadline on an undisturbed node, and on a busy one by
 * up to four deadlines plus the time of the node's own stalls.
 *
 * <p>Decisions may be added by any thread. Ticks run one after another and stop while no decision
 * is pending.
 */
final class DeadlineQueue implements AutoCloseable {
  private static final int TICKS_PER_DEADLINE = 5;

  /** The shortest delay of a tick that will expire a decision is this fraction of a tick. */
  private static final int MIN_DELAY_DIVISOR = 4;

  /** A late tick counts as this fraction of a tick. */
  private static final int LATE_TICK_DIVISOR = 4;

  private static final int MAX_EXTRA_DEADLINES = 3;
  private static final int MAX_STALL_DEADLINES = 20;

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
  private long recentStallMicros; // minus the time for which the node has run since
  private boolean wasIdle;
  private int rechecks;
  private volatile long lastTickAt;
  private volatile long runningMicros;
  private volatile boolean closed;

  /**
   * @param scheduler runs a tick on the thread that reads the replies, after it has read those
   *     available
   */
  DeadlineQueue(Clock clock, long deadlineMicros, Scheduler scheduler) {
    this.clock = clock;
    this.deadlineMicros = deadlineMicros;
    this.scheduler = scheduler;
    tickMicros = deadlineMicros / TICKS_PER_DEADLINE;
  }

  void add(PendingDecision decision) {
    PendingDecision last;
    do {
      last = arrived.get();
      decision.nextDue = last;
    } while (!arrived.compareAndSet(last, decision));
    start();
    if (closed) {
      decision.expire();
    }
  }

  private void start() {
    if (!ticking.get() && ticking.compareAndSet(false, true)) {
      lastTickAt = clock.micros();
      scheduler.schedule(tickMicros, this::tick);
    }
  }

  /** How long this node has been running while decisions were pending, without stalls. */
  long runningMicros() {
    return runningMicros + (ticking.get() ? Math.min(clock.micros() - lastTickAt, tickMicros) : 0);
  }

  /** Schedules the next tick even if this one fails, so that no failure stops the deadlines. */
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

  /** Runs one tick; returns the microseconds until the next one, negative if none is needed. */
  private synchronized long runTick() {
    long now = clock.micros();
    long elapsed = Math.max(0, now - lastTickAt);
    boolean late = elapsed > 2 * tickMicros;
    long counted = late ? tickMicros / LATE_TICK_DIVISOR : elapsed;
    lastTickAt = now;
    runningMicros += counted;
    lateTicks = lateTicks << 1 | (late ? 1 : 0);
    long stall = recentStallMicros + (late ? elapsed - tickMicros : -elapsed);
    recentStallMicros = Math.max(0, Math.min(stall, MAX_STALL_DEADLINES * deadlineMicros));
    boolean recheck = late && rechecks < MAX_RECHECKS;
    for (StoreTimeoutTracker store : activeTrackers) {
      store.recordTick(counted, now);
    }
    collect(now);
    int extra = Math.min(Long.bitCount(lateTicks), MAX_EXTRA_DEADLINES);
    long extendedDeadline = deadlineMicros * (1 + extra);
    long catchUpDeadline = Math.max(extendedDeadline, deadlineMicros + recentStallMicros);
    long next = tickMicros;
    for (StoreTimeoutTracker store : activeTrackers) {
      boolean answering = store.isAnswering(now, deadlineMicros);
      next =
          Math.min(
              next, store.expireOverdue(answering ? catchUpDeadline : extendedDeadline, recheck));
    }
    activeTrackers.removeIf(StoreTimeoutTracker::isEmpty);
    if (next == 0) {
      rechecks++;
    } else {
      rechecks = 0;
      next = Math.max(next, tickMicros / MIN_DELAY_DIVISOR);
    }
    boolean idle = activeTrackers.isEmpty();
    boolean stop = idle && wasIdle; // occasional single requests do not restart the ticks each time
    wasIdle = idle;
    return stop ? -1 : next;
  }

  /** Moves the arrived decisions, which are linked newest first, to the queues of their stores. */
  private void collect(long now) {
    PendingDecision ordered = null;
    for (PendingDecision decision = arrived.getAndSet(null); decision != null; ) {
      PendingDecision earlier = decision.nextDue;
      decision.nextDue = ordered;
      ordered = decision;
      decision = earlier;
    }
    for (PendingDecision decision = ordered; decision != null; ) {
      PendingDecision later = decision.nextDue;
      decision.nextDue = null; // else a reference to one decision would retain all later ones
      StoreTimeoutTracker store = decision.timeoutTracker();
      long waited = Math.min(decision.waitedMicros(now), tickMicros);
      if (!decision.isSettled() && store.add(decision, waited, now)) {
        activeTrackers.add(store);
      }
      decision = later;
    }
  }

  /** Stops the ticks; pending decisions are answered by the rules' fallbacks. */
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
