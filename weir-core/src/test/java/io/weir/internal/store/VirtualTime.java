package io.weir.internal.store;

import io.weir.store.Clock;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock and scheduler for tests: time advances, and tasks run, only when the test calls. */
final class VirtualTime implements Clock, Scheduler {
  private record VirtualTask(long at, long number, Runnable action) {}

  private final PriorityQueue<VirtualTask> tasks =
      new PriorityQueue<>(
          Comparator.comparingLong(VirtualTask::at).thenComparing(VirtualTask::number));
  private long now = 1_000_000;
  private long scheduled;

  @Override
  public long micros() {
    return now;
  }

  @Override
  public void schedule(long micros, Runnable task) {
    tasks.add(new VirtualTask(now + micros, scheduled++, task));
  }

  /** Advances time, running every task when it is due. */
  void advance(long micros) {
    long until = now + micros;
    while (!tasks.isEmpty() && tasks.element().at() <= until) {
      VirtualTask next = tasks.remove();
      now = Math.max(now, next.at());
      next.action().run();
    }
    now = until;
  }

  /** Whether nothing is scheduled. */
  boolean isIdle() {
    return tasks.isEmpty();
  }

  /** Advances time without running tasks, like a stall of the node; due tasks run later. */
  void stall(long micros) {
    now += micros;
  }
}
