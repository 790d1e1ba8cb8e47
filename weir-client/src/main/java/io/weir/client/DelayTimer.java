package io.weir.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Does something later, holding no thread until then. */
@FunctionalInterface
interface DelayTimer {

  void schedule(long micros, Runnable task);

  /** The one the JDK has for its futures. */
  static DelayTimer system() {
    return (micros, task) ->
        CompletableFuture.delayedExecutor(Math.max(1, micros), TimeUnit.MICROSECONDS).execute(task);
  }
}
