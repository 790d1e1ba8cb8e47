package io.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Runs tasks when a test turns its clock on. */
final class FakeScheduler implements CancellableScheduler {
  private final AtomicLong nowMicros;
  private final List<ScheduledTask> tasks = new ArrayList<>();

  private record ScheduledTask(long dueMicros, Runnable task) {}

  FakeScheduler(AtomicLong now) {
    this.nowMicros = now;
  }

  @Override
  public synchronized Runnable schedule(long micros, Runnable task) {
    ScheduledTask one = new ScheduledTask(nowMicros.get() + micros, task);
    tasks.add(one);
    return () -> cancel(one);
  }

  private synchronized void cancel(ScheduledTask one) {
    tasks.remove(one);
  }

  /** How many tasks wait. */
  synchronized int pendingTasks() {
    return tasks.size();
  }

  /** Lets time pass and runs what has become due. */
  void advance(long micros) {
    nowMicros.addAndGet(micros);
    List<ScheduledTask> due;
    synchronized (this) {
      due = tasks.stream().filter(task -> task.dueMicros <= nowMicros.get()).toList();
      tasks.removeAll(due);
    }
    due.forEach(task -> task.task.run());
  }
}
