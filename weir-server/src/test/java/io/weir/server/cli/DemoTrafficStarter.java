package io.weir.server.cli;

/** Starts what the demonstration runs in the background, for tests of other packages. */
public final class DemoTrafficStarter {

  private DemoTrafficStarter() {}

  /** Begins to send traffic to the decision API at a port; the answer ends it. */
  public static AutoCloseable start(int port) {
    return DemoTraffic.start(port)::close;
  }
}
