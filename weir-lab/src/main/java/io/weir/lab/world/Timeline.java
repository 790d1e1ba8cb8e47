package io.weir.lab.world;

import io.weir.store.Alarm;
import io.weir.store.Clock;
import java.util.PriorityQueue;

/**
 * Time that moves only when told, and what is to happen in it; what is due at the same moment
 * happens in the order in which it was asked for. Not thread-safe.
 */
public final class Timeline implements Clock, Alarm {
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private long asked;

  /** Something that is to happen. */
  private record Event(long at, long number, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
    }
  }

  public Timeline(long start) {
    now = start;
  }

  @Override
  public long micros() {
    return now;
  }

  @Override
  public void after(long micros, Runnable task) {
    at(now + micros, task);
  }

  /** Runs the task at that time, or now if it has passed. */
  public void at(long time, Runnable task) {
    events.add(new Event(Math.max(now, time), asked++, task));
  }

  /** Lets time pass until then, and all happen that is due. */
  public void runUntil(long time) {
    for (Event next = events.peek(); next != null && next.at <= time; next = events.peek()) {
      events.remove();
      now = next.at;
      next.what.run();
    }
    now = Math.max(now, time);
  }
}
