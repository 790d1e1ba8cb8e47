package io.weir;

import io.weir.background.TaskMonitor;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs a task once after a delay, unless it is cancelled before. */
@FunctionalInterface
interface CancellableScheduler {

  /** Uses the JDK's own timer thread; a cancelled task does not stay in its queue. */
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

  /** Of the tasks of all limiters of this process, from the first that runs. */
  final class TimerSupervision {
    private static final TaskMonitor MONITOR =
        TaskMonitor.onDemand("limiter-timers", Duration.ofSeconds(1), Clock.system()::micros);

    private TimerSupervision() {}
  }

  /**
   * Schedules a task.
   *
   * @return cancels it
   */
  Runnable schedule(long micros, Runnable task);
}
