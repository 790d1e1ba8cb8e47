package io.weir;

import io.weir.store.Clock;
import org.jspecify.annotations.Nullable;

/**
 * A timer that fires at the earliest of the requested times and keeps at most one task in the
 * scheduler. Thread-safe.
 */
final class SingleTimer {
  private static final long NONE = Long.MAX_VALUE;
  private static final long RETRY_MICROS = 1_000_000;

  private final Clock clock;
  private final CancellableScheduler scheduler;
  private final Runnable task;
  private long dueMicros = NONE;
  private @Nullable Runnable cancelAction;

  /**
   * @param task runs each time the timer fires, and schedules it again if necessary
   */
  SingleTimer(Clock clock, CancellableScheduler scheduler, Runnable task) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.task = task;
  }

  /** Fires at that time in microseconds, or earlier if an earlier time is already scheduled. */
  synchronized void scheduleAt(long time) {
    if (time >= dueMicros) {
      return;
    }
    cancel();
    dueMicros = time;
    cancelAction = scheduler.schedule(Math.max(1, time - clock.micros()), () -> fire(time));
  }

  synchronized void cancel() {
    if (cancelAction != null) {
      cancelAction.run();
    }
    cancelAction = null;
    dueMicros = NONE;
  }

  private void fire(long time) {
    synchronized (this) {
      if (dueMicros != time) {
        return; // canceled when it was about to fire
      }
      cancelAction = null;
      dueMicros = NONE;
    }
    try {
      task.run();
    } catch (Throwable e) {
      scheduleAt(clock.micros() + RETRY_MICROS); // the task may not have scheduled it again
      throw e;
    }
  }
}
