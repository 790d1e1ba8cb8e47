package io.weir.cli;

import io.weir.server.DecisionServer;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A server that runs in this process until Ctrl-C or SIGTERM. */
final class ForegroundServer {
  private final Runnable afterStop;
  private final CountDownLatch ended = new CountDownLatch(1);
  private @Nullable DecisionServer server;
  private boolean stopped;

  private ForegroundServer(Runnable afterStop) {
    this.afterStop = afterStop;
  }

  /**
   * Starts a server.
   *
   * @param afterStop runs after the server has stopped, or failed to start
   */
  static ForegroundServer start(Supplier<DecisionServer> start, Runnable afterStop) {
    ForegroundServer running = new ForegroundServer(afterStop);
    Runtime.getRuntime().addShutdownHook(new Thread(running::stop, "weir-stop"));
    try {
      running.startUnlessStopped(start);
    } catch (RuntimeException e) {
      running.stop();
      throw e;
    }
    return running;
  }

  /** Holds the lock, so that a stop during the start waits for it and then closes the server. */
  private synchronized void startUnlessStopped(Supplier<DecisionServer> start) {
    if (!stopped) {
      server = start.get();
    }
  }

  synchronized String summary() {
    return server == null ? "" : server.summary();
  }

  synchronized int port(String listener) {
    return server == null ? 0 : server.port(listener).orElse(0);
  }

  /** Waits until the server has stopped. */
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
    afterStop.run();
    ended.countDown();
  }
}
