package io.weir.store;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Ends what has waited for the deadline. All wait equally long, so those who came first are due
 * first and a queue is enough; one thread sleeps until the first is due.
 */
final class Watch implements AutoCloseable {
  private static final long LONGEST_NAP_NANOS = 5_000_000;

  private final Clock clock;
  private final AtomicReference<@Nullable Ask> arrived = new AtomicReference<>();
  private final ArrayDeque<Ask> queue = new ArrayDeque<>();
  private final Thread thread;
  private volatile boolean asleep;
  private volatile boolean closed;

  Watch(Clock clock) {
    this.clock = clock;
    thread = new Thread(this::run, "weir-deadlines");
    thread.setDaemon(true);
    thread.start();
  }

  void add(Ask one) {
    Ask last;
    do {
      last = arrived.get();
      one.nextDue = last;
    } while (!arrived.compareAndSet(last, one));
    if (asleep) {
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (!closed) {
      collect();
      while (!queue.isEmpty() && queue.element().isSettled()) {
        queue.remove();
      }
      Ask first = queue.peek();
      if (first == null) {
        sleep();
        continue;
      }
      long left = first.due() - clock.micros();
      if (left > 0) {
        LockSupport.parkNanos(this, Math.min(left * 1000, LONGEST_NAP_NANOS));
      } else {
        queue.remove();
        first.expire();
      }
    }
    collect();
    queue.forEach(Ask::expire);
  }

  private void sleep() {
    asleep = true;
    if (arrived.get() == null && !closed) {
      LockSupport.park(this);
    }
    asleep = false;
  }

  /** Moves who has arrived, the last first, to the end of the queue. */
  private void collect() {
    Ask ordered = null;
    for (Ask one = arrived.getAndSet(null); one != null; ) {
      Ask earlier = one.nextDue;
      one.nextDue = ordered;
      ordered = one;
      one = earlier;
    }
    for (Ask one = ordered; one != null; ) {
      Ask later = one.nextDue;
      one.nextDue = null; // else one that is kept would keep all that came after it
      queue.add(one);
      one = later;
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
