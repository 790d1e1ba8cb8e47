package io.weir.server.cli;

import io.weir.server.Server;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/** A server that runs until the process is told to stop, by Ctrl-C or SIGTERM. */
final class Running {
  private final Server server;
  private final CountDownLatch ended = new CountDownLatch(1);

  private Running(Server server) {
    this.server = server;
  }

  /**
   * Starts one.
   *
   * @param last is done after it has ended, and if it cannot start
   */
  static Running until(Supplier<Server> start, Runnable last) {
    Running running;
    try {
      running = new Running(start.get());
    } catch (RuntimeException e) {
      last.run();
      throw e;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> running.end(last), "weir-stop"));
    return running;
  }

  Server server() {
    return server;
  }

  /** Waits for the end. */
  void await() throws InterruptedException {
    ended.await();
  }

  private void end(Runnable last) {
    server.close();
    last.run();
    ended.countDown();
  }
}
