package io.weir;

import io.weir.internal.background.TaskMonitor;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs a task once after a delay, unless it is canceled before. */
@FunctionalInterface
interface CancellableScheduler {

  /** Uses the timer thread of the JDK; a canceled task is removed from its queue. */
  CancellableScheduler SYSTEM =
      (micros, task) -> {
        CompletableFuture<Boolean> timer =
            new CompletableFuture<Boolean>().completeOnTimeout(true, micros, TimeUnit.MICROSECONDS);
        var unused =
            timer.thenAcceptAsync(
                due -> {
                  if (due) {
                    TimerSupervision.MONITOR.run(task::run);
                  }
                });
        return () -> timer.complete(false); // a JDK timer is removed only if completed normally
      };

  /** Holds the monitor for the timers of all limiters of this process; created on first use. */
  final class TimerSupervision {
    private static final TaskMonitor MONITOR =
        TaskMonitor.onDemand("limiter-timers", Duration.ofSeconds(1), Clock.system()::micros);

    private TimerSupervision() {}
  }

  /**
   * Schedules a task.
   *
   * @return an action that cancels the task
   */
  Runnable schedule(long micros, Runnable task);
}
