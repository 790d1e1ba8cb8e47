package io.weir.lab.world;

import io.weir.store.Clock;
import io.weir.store.Scheduler;
import java.util.PriorityQueue;

/**
 * Time that moves only when told, and what is to happen in it; what is due at the same moment
 * happens in the order in which it was asked for. Not thread-safe.
 */
public final class Timeline implements Clock, Scheduler {
  private final PriorityQueue<TimelineEvent> events = new PriorityQueue<>();
  private long nowMicros;
  private long nextSequence;

  /** Something that is to happen. */
  private record TimelineEvent(long dueMicros, long sequence, Runnable task)
      implements Comparable<TimelineEvent> {
    @Override
    public int compareTo(TimelineEvent other) {
      return dueMicros != other.dueMicros
          ? Long.compare(dueMicros, other.dueMicros)
          : Long.compare(sequence, other.sequence);
    }
  }

  public Timeline(long start) {
    nowMicros = start;
  }

  @Override
  public long micros() {
    return nowMicros;
  }

  @Override
  public void schedule(long micros, Runnable task) {
    scheduleAt(nowMicros + micros, task);
  }

  /** Runs the task at that time, or now if it has passed. */
  public void scheduleAt(long time, Runnable task) {
    events.add(new TimelineEvent(Math.max(nowMicros, time), nextSequence++, task));
  }

  /** Lets time pass until then, and all happen that is due. */
  public void runUntil(long time) {
    for (TimelineEvent next = events.peek();
        next != null && next.dueMicros <= time;
        next = events.peek()) {
      events.remove();
      nowMicros = next.dueMicros;
      next.task.run();
    }
    nowMicros = Math.max(nowMicros, time);
  }
}
