package io.weir.client;

import io.weir.store.Clock;
import java.time.Duration;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Time that passes from one thing to do to the next, on the thread of the test. */
final class FakeTime implements Clock, Timer {
  private record Task(long at, long number, Runnable what) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private long now = 1_767_225_600_000_000L;
  private long added;

  @Override
  public long micros() {
    return now;
  }

  @Override
  public void in(long micros, Runnable task) {
    tasks.add(new Task(now + Math.max(0, micros), added++, task));
  }

  void in(Duration wait, Runnable task) {
    in(wait.toNanos() / 1000, task);
  }

  /** Lets so much time pass. */
  void pass(Duration time) {
    long end = now + time.toNanos() / 1000;
    while (true) {
      @Nullable Task first = tasks.peek();
      if (first == null || first.at() > end) {
        break;
      }
      tasks.remove();
      now = Math.max(now, first.at());
      first.what().run();
    }
    now = end;
  }
}
