package io.weir.lab.world;

import io.weir.internal.store.Scheduler;
import io.weir.store.Clock;
import java.util.PriorityQueue;

/**
 * Virtual time with scheduled tasks. Time advances only in {@link #runUntil}; tasks that are due at
 * the same time run in the order in which they were scheduled. Not thread-safe.
 */
public final class Timeline implements Clock, Scheduler {
  private final PriorityQueue<TimelineEvent> events = new PriorityQueue<>();
  private long nowMicros;
  private long nextSequence;

  /** A scheduled task. */
  private record TimelineEvent(long dueMicros, long sequence, Runnable task)
      implements Comparable<TimelineEvent> {
    @Override
    public int compareTo(TimelineEvent other) {
      return dueMicros != other.dueMicros
          ? Long.compare(dueMicros, other.dueMicros)
          : Long.compare(sequence, other.sequence);
    }
  }

  public Timeline(long startMicros) {
    nowMicros = startMicros;
  }

  @Override
  public long micros() {
    return nowMicros;
  }

  @Override
  public void schedule(long micros, Runnable task) {
    scheduleAt(nowMicros + micros, task);
  }

  /** Schedules a task at a time, or now if the time has passed. */
  public void scheduleAt(long timeMicros, Runnable task) {
    events.add(new TimelineEvent(Math.max(nowMicros, timeMicros), nextSequence++, task));
  }

  /** Advances time and runs all tasks that are due. */
  public void runUntil(long timeMicros) {
    for (TimelineEvent next = events.peek();
        next != null && next.dueMicros <= timeMicros;
        next = events.peek()) {
      events.remove();
      nowMicros = next.dueMicros;
      next.task.run();
    }
    nowMicros = Math.max(nowMicros, timeMicros);
  }
}
