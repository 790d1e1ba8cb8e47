package io.weir.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs a task after a delay without blocking a thread. */
@FunctionalInterface
interface DelayTimer {

  void schedule(long micros, Runnable task);

  /** Returns the timer that the JDK uses for futures. */
  static DelayTimer system() {
    return (micros, task) ->
        CompletableFuture.delayedExecutor(Math.max(1, micros), TimeUnit.MICROSECONDS).execute(task);
  }
}
