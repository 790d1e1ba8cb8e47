package io.weir.bench.redis;

import io.weir.bench.report.LatencyHistogram;

/**
 * A thread that asks nobody for anything and only sleeps, a millisecond at a time: how long that
 * takes it tells what the machine adds to everybody's waiting.
 */
final class SleepJitterProbe implements AutoCloseable {
  private final Thread thread = new Thread(this::run, "sleeper");
  private volatile LatencyHistogram recording;

  SleepJitterProbe(LatencyHistogram latencies) {
    recording = latencies;
    thread.setDaemon(true);
    thread.start();
  }

  /** Adds how long it sleeps from now on to these. */
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
      // it is closed
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
