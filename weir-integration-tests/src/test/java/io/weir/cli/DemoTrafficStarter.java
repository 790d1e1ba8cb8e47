package io.weir.cli;

/** Starts the traffic of the demo, for tests in other packages. */
public final class DemoTrafficStarter {

  private DemoTrafficStarter() {}

  /** Starts to send traffic to the decision API at a port; closing the result stops it. */
  public static AutoCloseable start(int port) {
    return DemoTraffic.start(port)::close;
  }
}
