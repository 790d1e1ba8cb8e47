package io.weir.store;

import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock and a scheduler of a test: time passes, and tasks run, only when the test says so. */
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

  /** Lets time pass, running every task when it is due. */
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

  /** Lets time pass in which this node does not run: what was due happens at the next occasion. */
  void stall(long micros) {
    now += micros;
  }
}
