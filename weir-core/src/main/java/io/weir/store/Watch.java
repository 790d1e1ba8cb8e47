package io.weir.store;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends what has waited for the deadline. All wait equally long, so those who came first are due
 * first and a queue is enough; one thread sleeps until the first is due.
 */
final class Watch implements AutoCloseable {
  private static final long LONGEST_NAP_NANOS = 5_000_000;

  private final Clock clock;
  private final ConcurrentLinkedQueue<Waiting> queue = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean asleep;
  private volatile boolean closed;

  Watch(Clock clock) {
    this.clock = clock;
    thread = new Thread(this::run, "weir-deadlines");
    thread.setDaemon(true);
    thread.start();
  }

  /** Something that waits for an answer. */
  interface Waiting {
    boolean isDone();

    /** When it is due, in microseconds of the clock. */
    long due();

    void expire();
  }

  void add(Waiting one) {
    queue.add(one);
    if (asleep) {
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (!closed) {
      Waiting first = queue.peek();
      if (first == null) {
        asleep = true;
        if (queue.isEmpty() && !closed) {
          LockSupport.park(this);
        }
        asleep = false;
        continue;
      }
      long left = first.isDone() ? 0 : first.due() - clock.micros();
      if (left > 0) {
        LockSupport.parkNanos(this, Math.min(left * 1000, LONGEST_NAP_NANOS));
      } else {
        queue.remove();
        first.expire();
      }
    }
    for (Waiting one = queue.poll(); one != null; one = queue.poll()) {
      one.expire();
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
