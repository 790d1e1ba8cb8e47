package io.weir.client;

import io.weir.store.Clock;
import java.time.Duration;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Simulated time: a clock and a timer that run tasks on the thread of the test. */
final class FakeTime implements Clock, DelayTimer {
  private record FakeTimeTask(long micros, long number, Runnable action)
      implements Comparable<FakeTimeTask> {
    @Override
    public int compareTo(FakeTimeTask other) {
      int byTime = Long.compare(micros, other.micros);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<FakeTimeTask> tasks = new PriorityQueue<>();
  private long nowMicros = 1_767_225_600_000_000L;
  private long nextNumber;

  @Override
  public long micros() {
    return nowMicros;
  }

  @Override
  public void schedule(long micros, Runnable task) {
    tasks.add(new FakeTimeTask(nowMicros + Math.max(0, micros), nextNumber++, task));
  }

  void schedule(Duration wait, Runnable task) {
    schedule(wait.toNanos() / 1000, task);
  }

  /** Advances the time and runs the tasks that become due. */
  void advance(Duration time) {
    long end = nowMicros + time.toNanos() / 1000;
    while (true) {
      @Nullable FakeTimeTask first = tasks.peek();
      if (first == null || first.micros() > end) {
        break;
      }
      tasks.remove();
      nowMicros = Math.max(nowMicros, first.micros());
      first.action().run();
    }
    nowMicros = end;
  }
}
