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
  private final Scheduler scheduler;
  private final Runnable task;
  private long due = NONE;
  private @Nullable Runnable cancel;

  /**
   * @param task runs each time the timer fires, and sets it again if need be
   */
  SingleTimer(Clock clock, Scheduler scheduler, Runnable task) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.task = task;
  }

  /** Makes it fire at that time, or earlier if it is set to. */
  synchronized void setFor(long time) {
    if (time >= due) {
      return;
    }
    cancel();
    due = time;
    cancel = scheduler.after(Math.max(1, time - clock.micros()), () -> fire(time));
  }

  synchronized void cancel() {
    if (cancel != null) {
      cancel.run();
    }
    cancel = null;
    due = NONE;
  }

  private void fire(long time) {
    synchronized (this) {
      if (due != time) {
        return; // cancelled when it was about to fire
      }
      cancel = null;
      due = NONE;
    }
    try {
      task.run();
    } catch (Throwable e) {
      setFor(clock.micros() + RETRY_MICROS); // it may have been about to set the timer again
      throw e;
    }
  }
}
