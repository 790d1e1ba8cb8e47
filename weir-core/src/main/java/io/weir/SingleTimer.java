package io.weir;

import io.weir.store.Clock;
import org.jspecify.annotations.Nullable;

/**
 * A timer that is set for the earliest of the times asked for and never occupies the scheduler with
 * more than one task. Safe for any number of threads.
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
   * @param task runs each time the timer fires, and sets it again if need be
   */
  SingleTimer(Clock clock, CancellableScheduler scheduler, Runnable task) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.task = task;
  }

  /** Makes it fire at that time, or earlier if it is set to. */
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
        return; // cancelled when it was about to fire
      }
      cancelAction = null;
      dueMicros = NONE;
    }
    try {
      task.run();
    } catch (Throwable e) {
      scheduleAt(clock.micros() + RETRY_MICROS); // it may have been about to set the timer again
      throw e;
    }
  }
}
