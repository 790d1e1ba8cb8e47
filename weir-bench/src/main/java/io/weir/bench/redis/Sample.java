package io.weir.bench.redis;

import java.time.Duration;

/**
 * What one load on one candidate showed while it was watched.
 *
 * @param granted of the answers, how many said yes
 * @param cpuMicros the CPU time Redis used
 * @param commands what Redis ran, inside scripts too
 */
record Sample(double seconds, Latencies latencies, long granted, double cpuMicros, long commands) {

  /** Watches a closed loop for some time, after leaving it alone for some. */
  static Sample of(
      Server server,
      Candidate candidate,
      int inFlight,
      Callers callers,
      Duration warmup,
      Duration watched)
      throws InterruptedException {
    Latencies latencies = new Latencies();
    try (ClosedLoop loop = ClosedLoop.start(candidate, inFlight, callers)) {
      Thread.sleep(warmup.toMillis());
      long commands = server.commands();
      double cpu = server.cpuMicros();
      long granted = loop.granted();
      long start = System.nanoTime();
      loop.record(latencies);
      Thread.sleep(watched.toMillis());
      loop.record(null);
      double seconds = (System.nanoTime() - start) / 1e9;
      granted = loop.granted() - granted;
      cpu = server.cpuMicros() - cpu;
      return new Sample(seconds, latencies, granted, cpu, server.commands() - commands);
    }
  }

  long answers() {
    return latencies.count();
  }

  double thousandsPerSecond() {
    return answers() / seconds / 1e3;
  }

  double cpuMicrosEach() {
    return cpuMicros / answers();
  }

  /** The commands per thousand answers, of at least one command. */
  double commandsPerThousand() {
    return Math.max(1, commands) * 1e3 / answers();
  }

  double grantedShare() {
    return granted / (double) answers();
  }
}
