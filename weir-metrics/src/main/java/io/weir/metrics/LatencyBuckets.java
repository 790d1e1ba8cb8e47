package io.weir.metrics;

import java.time.Duration;
import java.util.stream.LongStream;

/** The buckets latencies are counted in; percentiles are read off them. */
final class LatencyBuckets {
  /** From a tenth of a millisecond to a second, with edges at the promised 1 and 5 ms. */
  static final Duration[] LATENCY =
      LongStream.of(
              100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
              1_000_000)
          .mapToObj(micros -> Duration.ofNanos(micros * 1000))
          .toArray(Duration[]::new);

  private LatencyBuckets() {}
}
