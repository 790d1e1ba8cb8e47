package io.weir.store;

/** Rings once after a while; injected wherever something has to happen by itself. */
@FunctionalInterface
public interface Alarm {

  /** Runs the task in so many microseconds, on a thread that must not be held up. */
  void after(long micros, Runnable task);
}
