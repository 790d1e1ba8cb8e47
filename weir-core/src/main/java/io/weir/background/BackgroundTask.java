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
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long AFTER_FAILURE_NANOS = 100_000_000;
  private static final long MAX_FAILURE_PAUSE_MICROS = 1_000_000;

  private final TaskMonitor monitor;
  private final LongSupplier micros;
  private final long pauseMicros;
  private final long failurePauseMicros;
  private final TaskMonitor.Round round;
  private final Runnable atEnd;
  private final Semaphore wakeUps = new Semaphore(0);
  private final Thread thread;
  private volatile boolean stopped;
  private long due;

  private BackgroundTask(Builder builder, TaskMonitor.Round round) {
    this.round = round;
    micros = builder.micros;
    pauseMicros = builder.pause.toNanos() / 1000;
    failurePauseMicros =
        pauseMicros > 0 ? 0 : Math.min(MAX_FAILURE_PAUSE_MICROS, builder.expected.toNanos() / 1000);
    atEnd = builder.atEnd;
    due = micros.getAsLong() + pauseMicros;
    monitor = TaskMonitor.periodic(builder.name, builder.expected, micros);
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
    private final LongSupplier micros;
    private Duration pause = Duration.ZERO;
    private Duration expected = Duration.ZERO;
    private Runnable atEnd = () -> {};

    private Builder(String name, LongSupplier micros) {
      this.name = name;
      this.micros = micros;
    }

    /** From the beginning of one round to that of the next; zero if the round itself waits. */
    public Builder pause(Duration interval) {
      pause = interval;
      expected = expected.isZero() ? interval : expected;
      return this;
    }

    /** The longest time from one completed round to the next, if all goes well. */
    public Builder expected(Duration interval) {
      expected = interval;
      return this;
    }

    /** What the thread does last, when it is closed. */
    public Builder atEnd(Runnable last) {
      atEnd = last;
      return this;
    }

    public BackgroundTask start(TaskMonitor.Round round) {
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
          pause();
        }
        if (!stopped && !monitor.run(this::attempt) && !stopped) {
          LockSupport.parkNanos(this, AFTER_FAILURE_NANOS); // needs no memory, unlike a semaphore
          unused = wakeUps.tryAcquire(failurePauseMicros, TimeUnit.MICROSECONDS);
        }
      } catch (Throwable e) {
        // even pausing may run out of memory; nothing here may throw
        LockSupport.parkNanos(this, AFTER_FAILURE_NANOS);
      }
    }
    monitor.run(atEnd::run);
    monitor.close();
  }

  /** A round that fails since it was stopped has not failed. */
  private void attempt() throws Exception {
    try {
      round.run();
    } catch (Exception e) {
      if (!stopped) {
        throw e;
      }
    }
  }

  /** Keeps a steady rate: what a round takes is taken off the pause. The clock may stand still. */
  private void pause() throws InterruptedException {
    long now = micros.getAsLong();
    due = Math.min(Math.max(due, now), now + pauseMicros);
    if (wakeUps.tryAcquire(due - now, TimeUnit.MICROSECONDS)) {
      wakeUps.drainPermits();
      due = micros.getAsLong();
    }
    due += pauseMicros;
  }

  /** Has the next round begin now. */
  public void wake() {
    wakeUps.release();
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
    close(PATIENCE);
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
