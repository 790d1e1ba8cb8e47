package io.weir.internal.store;

/** Runs tasks after a delay. Injected wherever work is scheduled, so that tests control time. */
@FunctionalInterface
public interface Scheduler {

  /** Runs the task once after that many microseconds, on a thread that must not be blocked. */
  void schedule(long micros, Runnable task);
}
