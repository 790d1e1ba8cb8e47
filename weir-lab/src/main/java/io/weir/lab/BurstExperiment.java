package io.weir.lab;

import io.weir.Decision;
import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.lab.ExperimentResult.PlotPoint;
import io.weir.rule.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An experiment that sends one burst to a token bucket and to a leaky bucket: both admit the same
 * number, but the token bucket at once and the leaky bucket at its rate.
 *
 * @param limit the permits per second
 * @param burst the size of the bucket and of the queue
 * @param requests the size of the burst
 */
public record BurstExperiment(long limit, long burst, long requests) {
  private static final long MAX_VALUE = 20_000;

  public BurstExperiment {
    ExperimentLimiter.require(
        limit >= 1 && limit <= MAX_VALUE,
        "limit must be between 1 and " + MAX_VALUE + " (was " + limit + ")");
    ExperimentLimiter.require(
        burst >= 1 && burst <= MAX_VALUE,
        "burst must be between 1 and " + MAX_VALUE + " (was " + burst + ")");
    ExperimentLimiter.require(
        requests >= 1 && requests <= MAX_VALUE,
        "requests must be between 1 and " + MAX_VALUE + " (was " + requests + ")");
  }

  /** Runs the experiment. */
  public ExperimentResult run() {
    ExperimentResult.ResultBuilder result =
        new ExperimentResult.ResultBuilder(
            requests + " requests at once, " + limit + " per second, bucket of " + burst,
            "seconds",
            "requests forwarded");
    result.headings("algorithm", "admitted", "refused", "max delay, ms", "max in 100 ms");
    result.figure("limit", limit).figure("burst", burst).figure("requests", requests);
    for (Algorithm algorithm : List.of(Algorithms.TOKEN_BUCKET, Algorithms.LEAKY_BUCKET)) {
      ExperimentLimiter limiter =
          new ExperimentLimiter(algorithm, new Rate(limit, Duration.ofSeconds(1)), burst);
      List<Long> delays = new ArrayList<>();
      for (long i = 0; i < requests; i++) {
        Decision decision = limiter.decideAt(0, "caller", 1);
        if (decision.allowed()) {
          delays.add(ExperimentLimiter.toMicros(decision.delay()));
        }
      }
      String name = algorithm.name();
      long maxDelay = delays.isEmpty() ? 0 : delays.get(delays.size() - 1);
      long peak = maxIn100Millis(delays);
      result.row(name, delays.size(), requests - delays.size(), maxDelay / 1000.0, peak);
      String prefix = name.replace("-bucket", "_");
      result.figure(prefix + "admitted", delays.size());
      result.figure(prefix + "longest_wait_ms", maxDelay / 1000.0);
      result.figure(prefix + "most_in_100_ms", peak);
      result.series(name, toPoints(delays));
    }
    return result.build();
  }

  private List<PlotPoint> toPoints(List<Long> delays) {
    List<PlotPoint> points = new ArrayList<>();
    double end = (double) burst / limit;
    points.add(PlotPoint.of(0, 0));
    for (int i = 0; i < delays.size(); i++) {
      double seconds = ExperimentLimiter.toSeconds(delays.get(i));
      points.add(PlotPoint.of(seconds, i));
      points.add(PlotPoint.of(seconds, i + 1));
    }
    points.add(PlotPoint.of(end, delays.size()));
    return points;
  }

  /** Returns the most requests forwarded within 100 ms. */
  private static long maxIn100Millis(List<Long> delays) {
    int from = 0;
    long max = 0;
    for (int i = 0; i < delays.size(); i++) {
      while (delays.get(i) - delays.get(from) >= 100_000) {
        from++;
      }
      max = Math.max(max, i - from + 1);
    }
    return max;
  }
}
