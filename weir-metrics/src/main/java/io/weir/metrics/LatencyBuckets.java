package io.weir.metrics;

import java.time.Duration;
import java.util.stream.LongStream;

/** Histogram buckets for latencies, from which percentiles are computed. */
final class LatencyBuckets {
  /** From 0.1 ms to 1 s, with bucket boundaries at the guaranteed 1 ms and 5 ms. */
  static final Duration[] LATENCY =
      LongStream.of(
              100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
              1_000_000)
          .mapToObj(micros -> Duration.ofNanos(micros * 1000))
          .toArray(Duration[]::new);

  private LatencyBuckets() {}
}
