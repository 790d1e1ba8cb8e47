package io.weir.background;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A daemon thread that runs a round again and again until it is closed, whatever a round throws.
 *
 * <pre>{@code
 * task = BackgroundTask.named("alerts", clock::micros).pause(Duration.ofSeconds(1)).start(this::look);
 * }</pre>
 *
 * <p>Every thread of Weir that lives longer than a call is one of these, so that all are
 * supervised: see {@link BackgroundTasks}. It is never interrupted, since an interrupt in the
 * middle of a round would close the file of an embedded database.
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
   * Begins to describe a task.
   *
   * @param name a constant: it becomes the label of a metric
   * @param micros a clock that never steps back, in microseconds
   */
  public static Builder named(String name, LongSupplier micros) {
    return new Builder(name, micros);
  }

  /** How a task is run. */
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

    /** From the beginning of one round to that of the next; zero if the round itself waits. */
    public Builder interval(Duration interval) {
      this.interval = interval;
      maxInterval = maxInterval.isZero() ? interval : maxInterval;
      return this;
    }

    /** The longest time from one completed round to the next, if all goes well. */
    public Builder maxInterval(Duration interval) {
      maxInterval = interval;
      return this;
    }

    /** What the thread does last, when it is closed. */
    public Builder onClose(Runnable last) {
      onClose = last;
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
        var unused = Thread.interrupted(); // else it would never pause again
        if (pauseMicros > 0) {
          awaitNextRound();
        }
        if (!stopped && !monitor.run(this::runRound) && !stopped) {
          LockSupport.parkNanos(this, FAILURE_PAUSE_NANOS); // needs no memory, unlike a semaphore
          unused = wakeUpSignal.tryAcquire(failurePauseMicros, TimeUnit.MICROSECONDS);
        }
      } catch (Throwable e) {
        // even pausing may run out of memory; nothing here may throw
        LockSupport.parkNanos(this, FAILURE_PAUSE_NANOS);
      }
    }
    monitor.run(onClose::run);
    monitor.close();
  }

  /** A round that fails since it was stopped has not failed. */
  private void runRound() throws Exception {
    try {
      round.run();
    } catch (Exception e) {
      if (!stopped) {
        throw e;
      }
    }
  }

  /** Keeps a steady rate: what a round takes is taken off the pause. The clock may stand still. */
  private void awaitNextRound() throws InterruptedException {
    long now = clockMicros.getAsLong();
    dueMicros = Math.min(Math.max(dueMicros, now), now + pauseMicros);
    if (wakeUpSignal.tryAcquire(dueMicros - now, TimeUnit.MICROSECONDS)) {
      wakeUpSignal.drainPermits();
      dueMicros = clockMicros.getAsLong();
    }
    dueMicros += pauseMicros;
  }

  /** Has the next round begin now. */
  public void wake() {
    wakeUpSignal.release();
  }

  /** Whether it has not completed a round for three times its interval. */
  public boolean isOverdue() {
    return monitor.isOverdue();
  }

  /** Lets the round under way be the last, and returns at once. */
  public void stop() {
    stopped = true;
    wake();
  }

  /** Stops it, and waits a while for the round under way. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /** As {@link #close()}, waiting no longer than this. */
  public void close(Duration patience) {
    stop();
    try {
      if (Thread.currentThread() != thread) {
        thread.join(Math.max(1, patience.toMillis()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    monitor.close();
  }
}
