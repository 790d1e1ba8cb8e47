package io.weir.redis;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.weir.internal.store.Scheduler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The event loops that read the server's replies. An event loop reads its sockets before it runs
 * its tasks, so a task scheduled here runs after all replies that have already arrived.
 */
final class ReplyEventLoops implements Scheduler {
  private final List<EventLoop> loops = new CopyOnWriteArrayList<>();
  private final EventExecutor fallbackExecutor;

  ReplyEventLoops(EventExecutor fallbackExecutor) {
    this.fallbackExecutor = fallbackExecutor;
  }

  /** Adds the event loop of a new connection. */
  synchronized void add(EventLoop loop) {
    if (!loops.contains(loop)) {
      loops.add(loop);
    }
  }

  @Override
  public void schedule(long micros, Runnable task) {
    EventExecutor first = loops.isEmpty() ? fallbackExecutor : loops.get(0);
    try {
      var unused = first.schedule(() -> runAfterLoop(1, task), micros, TimeUnit.MICROSECONDS);
    } catch (RejectedExecutionException e) {
      return; // the store is closed, and no request is pending
    }
  }

  /** Runs the task on the last of the loops, after passing through each of the others. */
  private void runAfterLoop(int next, Runnable task) {
    if (next >= loops.size()) {
      task.run();
    } else {
      loops.get(next).execute(() -> runAfterLoop(next + 1, task));
    }
  }
}
