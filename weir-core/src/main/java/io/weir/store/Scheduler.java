package io.weir.store;

/** Rings once after a while; injected wherever something has to happen by itself. */
@FunctionalInterface
public interface Scheduler {

  /** Runs the task in so many microseconds, on a thread that must not be held up. */
  void schedule(long micros, Runnable task);
}
