package io.weir.internal.background;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A daemon thread that runs rounds of work until it is closed, even if rounds throw.
 *
 * <pre>{@code
 * task =
 *     BackgroundTask.named("alerts", clock::micros)
 *         .interval(Duration.ofSeconds(1))
 *         .start(this::check);
 * }</pre>
 *
 * <p>Every long-lived thread of Weir is a background task, so that all of them are supervised: see
 * {@link BackgroundTasks}. The thread is never interrupted, since an interrupt during a round would
 * close the file of an embedded database.
 */
public final class BackgroundTask implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
  private static final long FAILURE_PAUSE_NANOS = 100_000_000;
  private static final long MAX_FAILURE_PAUSE_MICROS = 1_000_000;

  private final TaskMonitor monitor;
  private final LongSupplier clockMicros;
  private final long pauseMicros;
  private final long failurePauseMicros;
  private final TaskMonitor.TaskRound round;
  private final Runnable onClose;
  private final Semaphore wakeUpSignal = new Semaphore(0);
  private final Thread thread;
  private volatile boolean stopped;
  private long dueMicros;

  private BackgroundTask(Builder builder, TaskMonitor.TaskRound round) {
    this.round = round;
    clockMicros = builder.clockMicros;
    pauseMicros = builder.interval.toNanos() / 1000;
    failurePauseMicros =
        pauseMicros > 0
            ? 0
            : Math.min(MAX_FAILURE_PAUSE_MICROS, builder.maxInterval.toNanos() / 1000);
    onClose = builder.onClose;
    dueMicros = clockMicros.getAsLong() + pauseMicros;
    monitor = TaskMonitor.periodic(builder.name, builder.maxInterval, clockMicros);
    thread = new Thread(this::loop, "weir-" + builder.name);
    thread.setDaemon(true);
  }

  /**
   * Starts building a task.
   *
   * @param name a constant: it becomes the label of a metric
   * @param micros a clock that never steps back, in microseconds
   */
  public static Builder named(String name, LongSupplier micros) {
    return new Builder(name, micros);
  }

  /** Builds a {@link BackgroundTask}. */
  public static final class Builder {
    private final String name;
    private final LongSupplier clockMicros;
    private Duration interval = Duration.ZERO;
    private Duration maxInterval = Duration.ZERO;
    private Runnable onClose = () -> {};

    private Builder(String name, LongSupplier micros) {
      this.name = name;
      this.clockMicros = micros;
    }

    /** Sets the time between the starts of two rounds; zero if the round itself waits. */
    public Builder interval(Duration duration) {
      interval = duration;
      maxInterval = maxInterval.isZero() ? duration : maxInterval;
      return this;
    }

    /** Sets the longest time between two completed rounds in normal operation. */
    public Builder maxInterval(Duration duration) {
      maxInterval = duration;
      return this;
    }

    /** Sets an action that the thread runs last, when the task is closed. */
    public Builder onClose(Runnable action) {
      onClose = action;
      return this;
    }

    public BackgroundTask start(TaskMonitor.TaskRound round) {
      BackgroundTask task = new BackgroundTask(this, round);
      task.thread.start();
      return task;
    }
  }

  @SuppressWarnings("EmptyCatch")
  private void loop() {
    while (!stopped) {
      try {
        var unused = Thread.interrupted(); // otherwise it would never pause again
        if (pauseMicros > 0) {
          awaitNextRound();
        }
        if (!stopped && !monitor.run(this::runRound) && !stopped) {
          LockSupport.parkNanos(this, FAILURE_PAUSE_NANOS); // allocates nothing, unlike a semaphore
          unused = wakeUpSignal.tryAcquire(failurePauseMicros, TimeUnit.MICROSECONDS);
        }
      } catch (Throwable e) {
        // even waiting may run out of memory; nothing here may throw
        LockSupport.parkNanos(this, FAILURE_PAUSE_NANOS);
      }
    }
    monitor.run(onClose::run);
    monitor.close();
  }

  /** Runs a round, ignoring failures after the task was stopped. */
  private void runRound() throws Exception {
    try {
      round.run();
    } catch (Exception e) {
      if (!stopped) {
        throw e;
      }
    }
  }

  /**
   * Waits until the next round is due. Rounds start at a fixed rate: the duration of a round is
   * subtracted from the wait. Also works if the clock stands still.
   */
  private void awaitNextRound() throws InterruptedException {
    long now = clockMicros.getAsLong();
    dueMicros = Math.min(Math.max(dueMicros, now), now + pauseMicros);
    if (wakeUpSignal.tryAcquire(dueMicros - now, TimeUnit.MICROSECONDS)) {
      wakeUpSignal.drainPermits();
      dueMicros = clockMicros.getAsLong();
    }
    dueMicros += pauseMicros;
  }

  /** Starts the next round now. */
  public void wake() {
    wakeUpSignal.release();
  }

  /** Returns whether the task has not completed a round for three times its interval. */
  public boolean isOverdue() {
    return monitor.isOverdue();
  }

  /** Stops the task after the current round and returns at once. */
  public void stop() {
    stopped = true;
    wake();
  }

  /** Stops the task and waits up to 10 seconds for the current round. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /** Like {@link #close()}, with another timeout. */
  public void close(Duration timeout) {
    stop();
    try {
      if (Thread.currentThread() != thread) {
        thread.join(Math.max(1, timeout.toMillis()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    monitor.close();
  }
}
