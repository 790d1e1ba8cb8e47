package io.weir.server.cli;

import io.weir.server.Server;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A server that runs until the process is told to stop, by Ctrl-C or SIGTERM. */
final class Running {
  private final Runnable last;
  private final CountDownLatch ended = new CountDownLatch(1);
  private @Nullable Server server;
  private boolean stopped;

  private Running(Runnable last) {
    this.last = last;
  }

  /**
   * Starts one.
   *
   * @param last is done after it has ended, however early that is
   */
  static Running until(Supplier<Server> start, Runnable last) {
    Running running = new Running(last);
    Runtime.getRuntime().addShutdownHook(new Thread(running::stop, "weir-stop"));
    try {
      running.run(start);
    } catch (RuntimeException e) {
      running.stop();
      throw e;
    }
    return running;
  }

  /** Holds the lock, so that a stop that comes while it starts waits for it and then ends it. */
  private synchronized void run(Supplier<Server> start) {
    if (!stopped) {
      server = start.get();
    }
  }

  synchronized String summary() {
    return server == null ? "" : server.summary();
  }

  synchronized int port(String door) {
    return server == null ? 0 : server.port(door).orElse(0);
  }

  /** Waits for the end. */
  void await() throws InterruptedException {
    ended.await();
  }

  private synchronized void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    if (server != null) {
      server.close();
    }
    last.run();
    ended.countDown();
  }
}
