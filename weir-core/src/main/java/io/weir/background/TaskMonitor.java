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
  private static final long NOTHING_AWAITED = Long.MAX_VALUE;
  private static final long LOG_INTERVAL_MICROS = 60_000_000;
  private static final int MISSED_ROUNDS = 3;
  private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);
  private static final int SHOWN_FRAMES = 5;

  /** Called at the end of each round with the name of its task; tests plant failures here. */
  static volatile Consumer<String> afterRound = name -> {};

  private final String name;
  private final Duration interval;
  private final LongSupplier micros;
  private final boolean periodic;
  private final AtomicLong failures;
  private volatile long awaitedSince;
  private volatile String failure = "";
  private volatile @Nullable Thread runner;
  private volatile boolean closed;
  private long nextLog = Long.MIN_VALUE;
  private boolean seenOverdue;
  private boolean loggedOverdue;

  /** One round of a task. */
  @FunctionalInterface
  public interface Round {
    void run() throws Exception;
  }

  private TaskMonitor(String name, Duration interval, LongSupplier micros, boolean periodic) {
    this.name = name;
    this.interval = interval.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : interval;
    this.micros = micros;
    this.periodic = periodic;
    failures = BackgroundTasks.counter(name);
    awaitedSince = periodic ? micros.getAsLong() : NOTHING_AWAITED;
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
  public boolean run(Round round) {
    try {
      if (awaitedSince == NOTHING_AWAITED) {
        awaitedSince = micros.getAsLong();
      }
      runner = Thread.currentThread();
      round.run();
      afterRound.accept(name);
      awaitedSince = periodic ? micros.getAsLong() : NOTHING_AWAITED;
      if (!failure.isEmpty()) {
        recovered();
      }
      return true;
    } catch (Throwable e) {
      failed(e);
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
  public void failed(Throwable e) {
    if (closed) {
      return; // what it used was closed with it
    }
    failures.incrementAndGet();
    failure = "failed";
    try {
      failure = e.toString();
      log(e);
    } catch (Throwable worse) {
      // counted already, and shown as failed
    }
  }

  private synchronized void log(Throwable e) {
    long now = micros.getAsLong();
    if (now >= nextLog) {
      nextLog = now + LOG_INTERVAL_MICROS;
      LOG.log(
          Level.ERROR,
          "background task " + name + " failed, it goes on (failures: " + failures.get() + ")",
          e);
    }
  }

  private void recovered() {
    failure = "";
    LOG.log(Level.INFO, "background task {0} completes rounds again", name);
  }

  TaskStatus status() {
    Duration since = since();
    return new TaskStatus(name, failures.get(), isOverdue(since), since, failure);
  }

  private Duration since() {
    long awaited = awaitedSince;
    return awaited == NOTHING_AWAITED
        ? Duration.ZERO
        : Duration.of(Math.max(0, micros.getAsLong() - awaited), ChronoUnit.MICROS);
  }

  private boolean isOverdue(Duration since) {
    return since.compareTo(interval.multipliedBy(MISSED_ROUNDS)) > 0;
  }

  /** Whether it has not completed a round for three times its interval. */
  public boolean isOverdue() {
    return isOverdue(since());
  }

  /** Logs a change; only what two checks see, for a process that was stopped has many late. */
  synchronized void check() {
    Duration since = since();
    boolean overdue = isOverdue(since);
    if (overdue && seenOverdue && !loggedOverdue) {
      loggedOverdue = true;
      LOG.log(
          Level.ERROR,
          "background task {0} has not completed a round for {1} s, expected every {2} s{3}",
          name,
          since.toSeconds(),
          interval.toSeconds(),
          whereabouts());
    } else if (!overdue && loggedOverdue) {
      loggedOverdue = false;
      LOG.log(Level.INFO, "background task {0} is no longer overdue", name);
    }
    seenOverdue = overdue;
  }

  /** Where the round that is under way hangs. */
  private String whereabouts() {
    Thread thread = runner;
    if (thread == null) {
      return failure.isEmpty() ? "" : "; the last one failed: " + failure;
    }
    StackTraceElement[] frames = thread.getStackTrace();
    StringBuilder text = new StringBuilder("; it is at");
    for (int i = 0; i < Math.min(SHOWN_FRAMES, frames.length); i++) {
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
