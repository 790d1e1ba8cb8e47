package io.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Runs tasks when a test turns its clock on. */
final class FakeScheduler implements Scheduler {
  private final AtomicLong now;
  private final List<Task> tasks = new ArrayList<>();

  private record Task(long due, Runnable task) {}

  FakeScheduler(AtomicLong now) {
    this.now = now;
  }

  @Override
  public synchronized Runnable after(long micros, Runnable task) {
    Task one = new Task(now.get() + micros, task);
    tasks.add(one);
    return () -> cancel(one);
  }

  private synchronized void cancel(Task one) {
    tasks.remove(one);
  }

  /** How many tasks wait. */
  synchronized int waiting() {
    return tasks.size();
  }

  /** Lets time pass and runs what has become due. */
  void advance(long micros) {
    now.addAndGet(micros);
    List<Task> due;
    synchronized (this) {
      due = tasks.stream().filter(task -> task.due <= now.get()).toList();
      tasks.removeAll(due);
    }
    due.forEach(task -> task.task.run());
  }
}
