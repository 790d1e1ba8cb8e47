package io.weir.background;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Supervises the rounds of one background task, on whichever thread they run.
 *
 * <p>Use it directly where a timer of another library runs the rounds; {@link BackgroundTask} has a
 * thread of its own. A round that throws anything, {@link OutOfMemoryError} and {@link
 * StackOverflowError} included, is counted and logged, and does not reach the caller. A task is
 * overdue if it has not completed a round for three times its interval, but never before three
 * seconds: a pause of the garbage collector is no incident.
 *
 * <p>Safe for any number of threads.
 */
public final class TaskMonitor implements AutoCloseable {
  private static final Logger LOG = System.getLogger(TaskMonitor.class.getName());
  private static final long IDLE = Long.MAX_VALUE;
  private static final long LOG_INTERVAL_MICROS = 60_000_000;
  private static final int OVERDUE_INTERVALS = 3;
  private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);
  private static final int MAX_LOGGED_FRAMES = 5;

  /** Called at the end of each round with the name of its task; tests plant failures here. */
  static volatile Consumer<String> afterRound = name -> {};

  private final String name;
  private final Duration interval;
  private final LongSupplier clockMicros;
  private final boolean periodic;
  private final AtomicLong failures;
  private volatile long awaitedSinceMicros;
  private volatile String lastFailure = "";
  private volatile @Nullable Thread runner;
  private volatile boolean closed;
  private long nextLogMicros = Long.MIN_VALUE;
  private boolean seenOverdue;
  private boolean loggedOverdue;

  /** One round of a task. */
  @FunctionalInterface
  public interface TaskRound {
    void run() throws Exception;
  }

  private TaskMonitor(String name, Duration interval, LongSupplier micros, boolean periodic) {
    this.name = name;
    this.interval = interval.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : interval;
    this.clockMicros = micros;
    this.periodic = periodic;
    failures = BackgroundTasks.failureCounter(name);
    awaitedSinceMicros = periodic ? micros.getAsLong() : IDLE;
  }

  /**
   * Supervises a task that must complete a round again and again.
   *
   * @param name a constant: it becomes the label of a metric
   * @param interval the longest time from one completed round to the next, if all goes well
   * @param micros a clock that never steps back, in microseconds
   */
  public static TaskMonitor periodic(String name, Duration interval, LongSupplier micros) {
    return registered(new TaskMonitor(name, interval, micros, true));
  }

  /**
   * Supervises a task that has rounds only when there is work; one that has begun, or failed, must
   * be followed by a completed one.
   *
   * @param interval the longest time that a round takes, if all goes well
   */
  public static TaskMonitor onDemand(String name, Duration interval, LongSupplier micros) {
    return registered(new TaskMonitor(name, interval, micros, false));
  }

  private static TaskMonitor registered(TaskMonitor monitor) {
    BackgroundTasks.add(monitor);
    return monitor;
  }

  String name() {
    return name;
  }

  /** Runs one round; returns whether it completed. Never throws. */
  public boolean run(TaskRound round) {
    try {
      if (awaitedSinceMicros == IDLE) {
        awaitedSinceMicros = clockMicros.getAsLong();
      }
      runner = Thread.currentThread();
      round.run();
      afterRound.accept(name);
      awaitedSinceMicros = periodic ? clockMicros.getAsLong() : IDLE;
      if (!lastFailure.isEmpty()) {
        recordRecovery();
      }
      return true;
    } catch (Throwable e) {
      recordFailure(e);
      return false;
    } finally {
      runner = null;
    }
  }

  /**
   * Counts a round that failed elsewhere. Never throws: after an {@link OutOfMemoryError} even
   * logging may fail.
   */
  @SuppressWarnings("EmptyCatch")
  public void recordFailure(Throwable e) {
    if (closed) {
      return; // what it used was closed with it
    }
    failures.incrementAndGet();
    lastFailure = "failed";
    try {
      lastFailure = e.toString();
      logFailure(e);
    } catch (Throwable worse) {
      // counted already, and shown as failed
    }
  }

  private synchronized void logFailure(Throwable e) {
    long now = clockMicros.getAsLong();
    if (now >= nextLogMicros) {
      nextLogMicros = now + LOG_INTERVAL_MICROS;
      LOG.log(
          Level.ERROR,
          "background task " + name + " failed, it goes on (failures: " + failures.get() + ")",
          e);
    }
  }

  private void recordRecovery() {
    lastFailure = "";
    LOG.log(Level.INFO, "background task {0} completes rounds again", name);
  }

  TaskStatus status() {
    Duration since = sinceLastRound();
    return new TaskStatus(name, failures.get(), isOverdue(since), since, lastFailure);
  }

  private Duration sinceLastRound() {
    long awaited = awaitedSinceMicros;
    return awaited == IDLE
        ? Duration.ZERO
        : Duration.of(Math.max(0, clockMicros.getAsLong() - awaited), ChronoUnit.MICROS);
  }

  private boolean isOverdue(Duration since) {
    return since.compareTo(interval.multipliedBy(OVERDUE_INTERVALS)) > 0;
  }

  /** Whether it has not completed a round for three times its interval. */
  public boolean isOverdue() {
    return isOverdue(sinceLastRound());
  }

  /** Logs a change; only what two checks see, for a process that was stopped has many late. */
  synchronized void check() {
    Duration since = sinceLastRound();
    boolean overdue = isOverdue(since);
    if (overdue && seenOverdue && !loggedOverdue) {
      loggedOverdue = true;
      LOG.log(
          Level.ERROR,
          "background task {0} has not completed a round for {1} s, expected every {2} s{3}",
          name,
          since.toSeconds(),
          interval.toSeconds(),
          describeLastRound());
    } else if (!overdue && loggedOverdue) {
      loggedOverdue = false;
      LOG.log(Level.INFO, "background task {0} is no longer overdue", name);
    }
    seenOverdue = overdue;
  }

  /** Where the round that is under way hangs. */
  private String describeLastRound() {
    Thread thread = runner;
    if (thread == null) {
      return lastFailure.isEmpty() ? "" : "; the last one failed: " + lastFailure;
    }
    StackTraceElement[] frames = thread.getStackTrace();
    StringBuilder text = new StringBuilder("; it is at");
    for (int i = 0; i < Math.min(MAX_LOGGED_FRAMES, frames.length); i++) {
      text.append(" ").append(frames[i]);
    }
    return text.toString();
  }

  /** Ends supervision. */
  @Override
  public void close() {
    closed = true;
    BackgroundTasks.remove(this);
  }
}
