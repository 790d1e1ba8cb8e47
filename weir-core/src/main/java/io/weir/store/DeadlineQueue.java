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
  private static final int MIN_TICKS_PER_TICK = 4;

  private static final int LATE_TICKS_PER_TICK = 4;

  private static final int MAX_EXTRA_DEADLINES = 3;

  /** A stall may hit between reading the replies and the tick, so that the tick is repeated. */
  private static final int MAX_RECHECKS = 3;

  private final Clock clock;
  private final long deadlineMicros;
  private final long tickMicros;
  private final Alarm scheduler;
  private final AtomicReference<@Nullable Ask> arrived = new AtomicReference<>();
  private final AtomicBoolean ticking = new AtomicBoolean();
  private final List<SilenceMeter> waiting = new ArrayList<>();
  private long lateTicks; // a bit for each of the last 64, the last one lowest
  private boolean wasIdle;
  private int rechecks;
  private volatile long lastTick;
  private volatile long liveMicros;
  private volatile boolean closed;

  /**
   * @param scheduler runs a tick on the thread that reads the replies, after reading what is there
   */
  DeadlineQueue(Clock clock, long deadlineMicros, Alarm scheduler) {
    this.clock = clock;
    this.deadlineMicros = deadlineMicros;
    this.scheduler = scheduler;
    tickMicros = deadlineMicros / TICKS_PER_DEADLINE;
  }

  void add(Ask ask) {
    Ask last;
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
      lastTick = clock.micros();
      scheduler.after(tickMicros, this::tick);
    }
  }

  /** The time for which this node has been running while decisions waited; stalls do not count. */
  long liveMicros() {
    return liveMicros + (ticking.get() ? Math.min(clock.micros() - lastTick, tickMicros) : 0);
  }

  /** Sets the next tick whatever happens in this one, so that no failure ends the deadlines. */
  private void tick() {
    long delay = tickMicros;
    try {
      delay = closed ? -1 : count();
    } finally {
      setNext(delay);
    }
  }

  private void setNext(long delay) {
    if (delay >= 0) {
      scheduler.after(delay, this::tick);
      return;
    }
    ticking.set(false);
    if (arrived.get() != null && !closed) {
      start();
    }
  }

  /** Counts one tick; in how many microseconds the next one is due, negative if none is needed. */
  private synchronized long count() {
    long now = clock.micros();
    long elapsed = Math.max(0, now - lastTick);
    boolean late = elapsed > 2 * tickMicros;
    long counted = late ? tickMicros / LATE_TICKS_PER_TICK : elapsed;
    lastTick = now;
    liveMicros += counted;
    lateTicks = lateTicks << 1 | (late ? 1 : 0);
    boolean recheck = late && rechecks < MAX_RECHECKS;
    for (SilenceMeter store : waiting) {
      store.count(counted, now);
    }
    collect(now);
    int extra = Math.min(Long.bitCount(lateTicks), MAX_EXTRA_DEADLINES);
    long patience = deadlineMicros * (1 + extra);
    long next = tickMicros;
    for (SilenceMeter store : waiting) {
      next = Math.min(next, store.giveUp(patience, recheck));
    }
    waiting.removeIf(SilenceMeter::isEmpty);
    if (next == 0) {
      rechecks++;
    } else {
      rechecks = 0;
      next = Math.max(next, tickMicros / MIN_TICKS_PER_TICK);
    }
    boolean idle = waiting.isEmpty();
    boolean stop = idle && wasIdle; // a lone request now and then does not start it anew each time
    wasIdle = idle;
    return stop ? -1 : next;
  }

  /** Moves the decisions that have arrived, the last first, to the queues of their stores. */
  private void collect(long now) {
    Ask ordered = null;
    for (Ask ask = arrived.getAndSet(null); ask != null; ) {
      Ask earlier = ask.nextDue;
      ask.nextDue = ordered;
      ordered = ask;
      ask = earlier;
    }
    for (Ask ask = ordered; ask != null; ) {
      Ask later = ask.nextDue;
      ask.nextDue = null; // else one that is kept would keep all that came after it
      SilenceMeter store = ask.silence();
      if (!ask.isSettled() && store.add(ask, Math.min(ask.waited(now), tickMicros), now)) {
        waiting.add(store);
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
      waiting.forEach(SilenceMeter::giveUpAll);
      waiting.clear();
    }
  }
}
