package io.weir.internal.background;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Supervises the rounds of one background task, whichever thread runs them.
 *
 * <p>Use it directly if a timer of another library runs the rounds; {@link BackgroundTask} has its
 * own thread. If a round throws anything, including {@link OutOfMemoryError} and {@link
 * StackOverflowError}, the failure is counted and logged and not propagated to the caller. A task
 * is overdue if it has not completed a round for three times its interval, and for at least three
 * seconds, so that a garbage collection pause does not count.
 *
 * <p>Thread-safe.
 */
public final class TaskMonitor implements AutoCloseable {
  private static final Logger LOG = System.getLogger(TaskMonitor.class.getName());
  private static final long IDLE = Long.MAX_VALUE;
  private static final long LOG_INTERVAL_MICROS = 60_000_000;
  private static final int OVERDUE_INTERVALS = 3;
  private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);
  private static final int MAX_LOGGED_FRAMES = 5;

  /** Called after each round with the name of its task; tests inject failures here. */
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
   * Supervises a task that must complete a round at every interval.
   *
   * @param name a constant, since it becomes the label of a metric
   * @param interval the longest time between two completed rounds in normal operation
   * @param micros a clock that never steps back, in microseconds
   */
  public static TaskMonitor periodic(String name, Duration interval, LongSupplier micros) {
    return registered(new TaskMonitor(name, interval, micros, true));
  }

  /**
   * Supervises a task that only runs rounds when there is work; after a round has started or
   * failed, a round must complete within the interval.
   *
   * @param interval the longest duration of a round in normal operation
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
   * Records a round that failed outside of {@link #run}. Never throws, because after an {@link
   * OutOfMemoryError} even logging may fail.
   */
  @SuppressWarnings("EmptyCatch")
  public void recordFailure(Throwable e) {
    if (closed) {
      return; // resources of the round may be closed already
    }
    failures.incrementAndGet();
    lastFailure = "failed";
    try {
      lastFailure = e.toString();
      logFailure(e);
    } catch (Throwable worse) {
      // already counted and reported as failed
    }
  }

  private synchronized void logFailure(Throwable e) {
    long now = clockMicros.getAsLong();
    if (now >= nextLogMicros) {
      nextLogMicros = now + LOG_INTERVAL_MICROS;
      LOG.log(
          Level.ERROR,
          "background task "
              + name
              + " failed and will run again (failures: "
              + failures.get()
              + ")",
          e);
    }
  }

  private void recordRecovery() {
    lastFailure = "";
    LOG.log(Level.INFO, "background task {0} has recovered", name);
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

  /** Returns whether the task has not completed a round for three times its interval. */
  public boolean isOverdue() {
    return isOverdue(sinceLastRound());
  }

  /**
   * Logs when a task becomes overdue or recovers. A task must be overdue in two consecutive checks,
   * because many tasks are late after the process was suspended.
   */
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

  /** Describes where the current round hangs, or how the last one failed. */
  private String describeLastRound() {
    Thread thread = runner;
    if (thread == null) {
      return lastFailure.isEmpty() ? "" : "; the last round failed: " + lastFailure;
    }
    StackTraceElement[] frames = thread.getStackTrace();
    StringBuilder text = new StringBuilder("; current stack:");
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
