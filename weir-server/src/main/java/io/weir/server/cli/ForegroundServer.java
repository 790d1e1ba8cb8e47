package io.weir.server.cli;

import io.weir.server.DecisionServer;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A server that runs until the process is told to stop, by Ctrl-C or SIGTERM. */
final class ForegroundServer {
  private final Runnable afterStop;
  private final CountDownLatch ended = new CountDownLatch(1);
  private @Nullable DecisionServer server;
  private boolean stopped;

  private ForegroundServer(Runnable last) {
    this.afterStop = last;
  }

  /**
   * Starts one.
   *
   * @param last is done after it has ended, however early that is
   */
  static ForegroundServer start(Supplier<DecisionServer> start, Runnable last) {
    ForegroundServer running = new ForegroundServer(last);
    Runtime.getRuntime().addShutdownHook(new Thread(running::stop, "weir-stop"));
    try {
      running.startUnlessStopped(start);
    } catch (RuntimeException e) {
      running.stop();
      throw e;
    }
    return running;
  }

  /** Holds the lock, so that a stop that comes while it starts waits for it and then ends it. */
  private synchronized void startUnlessStopped(Supplier<DecisionServer> start) {
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
    afterStop.run();
    ended.countDown();
  }
}
