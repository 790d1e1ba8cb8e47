package io.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A scheduler that runs tasks when a test advances its clock. */
final class FakeScheduler implements CancellableScheduler {
  private final AtomicLong nowMicros;
  private final List<ScheduledTask> tasks = new ArrayList<>();

  private record ScheduledTask(long dueMicros, Runnable task) {}

  FakeScheduler(AtomicLong now) {
    this.nowMicros = now;
  }

  @Override
  public synchronized Runnable schedule(long micros, Runnable task) {
    ScheduledTask scheduled = new ScheduledTask(nowMicros.get() + micros, task);
    tasks.add(scheduled);
    return () -> cancel(scheduled);
  }

  private synchronized void cancel(ScheduledTask scheduled) {
    tasks.remove(scheduled);
  }

  /** Returns the number of scheduled tasks. */
  synchronized int pendingTasks() {
    return tasks.size();
  }

  /** Advances the clock and runs the tasks that are due. */
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
