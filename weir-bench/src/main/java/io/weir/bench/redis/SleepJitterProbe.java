package io.weir.bench.redis;

import io.weir.bench.report.LatencyHistogram;

/**
 * A thread that only sleeps, one millisecond at a time. The measured duration shows the scheduling
 * delay that the machine adds to all latencies.
 */
final class SleepJitterProbe implements AutoCloseable {
  private final Thread thread = new Thread(this::run, "sleeper");
  private volatile LatencyHistogram recording;

  SleepJitterProbe(LatencyHistogram latencies) {
    recording = latencies;
    thread.setDaemon(true);
    thread.start();
  }

  /** Records from now on in this histogram. */
  void recordInto(LatencyHistogram latencies) {
    recording = latencies;
  }

  private void run() {
    try {
      while (true) {
        long start = System.nanoTime();
        Thread.sleep(1);
        recording.add(System.nanoTime() - start);
      }
    } catch (InterruptedException e) {
      // closed
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
