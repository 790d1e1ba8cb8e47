package io.weir.lab;

import io.weir.Decision;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.lab.ExperimentResult.PlotPoint;
import io.weir.rule.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One burst at a token bucket and at a leaky bucket: both admit as much, but the one lets it out at
 * once and the other at its rate.
 *
 * @param limit permits a second
 * @param burst the size of the bucket, and of the queue
 * @param requests how many come at once
 */
public record BurstExperiment(long limit, long burst, long requests) {
  private static final long MAX_VALUE = 20_000;

  public BurstExperiment {
    ExperimentLimiter.require(
        limit >= 1 && limit <= MAX_VALUE,
        "a limit of " + limit + " cannot be tried; write 1 to " + MAX_VALUE);
    ExperimentLimiter.require(
        burst >= 1 && burst <= MAX_VALUE,
        "a burst of " + burst + " cannot be tried; write 1 to " + MAX_VALUE);
    ExperimentLimiter.require(
        requests >= 1 && requests <= MAX_VALUE,
        requests + " requests cannot be tried; write 1 to " + MAX_VALUE);
  }

  /** Sends the burst to both. */
  public ExperimentResult run() {
    ExperimentResult.ResultBuilder notes =
        new ExperimentResult.ResultBuilder(
            requests + " requests at once, " + limit + " a second, bucket of " + burst,
            "seconds",
            "requests gone on");
    notes.headings("algorithm", "admitted", "refused", "longest wait, ms", "most in 100 ms");
    notes.figure("limit", limit).figure("burst", burst).figure("requests", requests);
    for (Algorithm algorithm : List.of(Algorithms.TOKEN_BUCKET, Algorithms.LEAKY_BUCKET)) {
      ExperimentLimiter bench =
          new ExperimentLimiter(algorithm, new Rate(limit, Duration.ofSeconds(1)), burst);
      List<Long> out = new ArrayList<>();
      for (long i = 0; i < requests; i++) {
        Decision decision = bench.decideAt(0, "caller", 1);
        if (decision.allowed()) {
          out.add(ExperimentLimiter.toMicros(decision.delay()));
        }
      }
      String name = algorithm.name();
      long longest = out.isEmpty() ? 0 : out.get(out.size() - 1);
      long peak = maxIn100Millis(out);
      notes.row(name, out.size(), requests - out.size(), longest / 1000.0, peak);
      String prefix = name.replace("-bucket", "_");
      notes.figure(prefix + "admitted", out.size());
      notes.figure(prefix + "longest_wait_ms", longest / 1000.0);
      notes.figure(prefix + "most_in_100_ms", peak);
      notes.series(name, toPoints(out));
    }
    return notes.build();
  }

  private List<PlotPoint> toPoints(List<Long> out) {
    List<PlotPoint> points = new ArrayList<>();
    double end = (double) burst / limit;
    points.add(PlotPoint.of(0, 0));
    for (int i = 0; i < out.size(); i++) {
      double at = ExperimentLimiter.toSeconds(out.get(i));
      points.add(PlotPoint.of(at, i));
      points.add(PlotPoint.of(at, i + 1));
    }
    points.add(PlotPoint.of(end, out.size()));
    return points;
  }

  /** The most that go on within a tenth of a second. */
  private static long maxIn100Millis(List<Long> out) {
    int from = 0;
    long most = 0;
    for (int i = 0; i < out.size(); i++) {
      while (out.get(i) - out.get(from) >= 100_000) {
        from++;
      }
      most = Math.max(most, i - from + 1);
    }
    return most;
  }
}
