package io.weir.lab;

import io.weir.internal.Durations;
import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.lab.ExperimentResult.PlotPoint;
import io.weir.rule.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An experiment with two bursts around the edge of a window: the whole limit late in one window and
 * again at the start of the next.
 *
 * @param limit the permits per window
 * @param window the length of the window
 * @param position where in its window the first burst comes, from 0 (start) to 1 (end)
 */
public record WindowEdgeExperiment(long limit, Duration window, double position) {
  private static final long MAX_LIMIT = 10_000;

  public WindowEdgeExperiment {
    ExperimentLimiter.require(
        limit >= 1 && limit <= MAX_LIMIT,
        "limit must be between 1 and " + MAX_LIMIT + " (was " + limit + ")");
    ExperimentLimiter.require(
        window.toMillis() >= 1 && window.compareTo(Duration.ofDays(1)) <= 0,
        "window must be between 1ms and 1d (was " + Durations.format(window) + ")");
    ExperimentLimiter.require(
        position >= 0 && position <= 1,
        "position must be 0 to 1 (was " + position + "), for example 0.9");
  }

  /** Runs the experiment on all algorithms. */
  public ExperimentResult run() {
    long period = ExperimentLimiter.toMicros(window);
    long first = Math.min((long) (period * position), period - 1);
    long gap = period - first;
    ExperimentResult.ResultBuilder result =
        new ExperimentResult.ResultBuilder(
            limit + " permits per window, two bursts around its edge",
            "seconds",
            "permits admitted");
    result.headings("algorithm", "requested", "admitted", "times the limit");
    long fixed = 0;
    for (Algorithm algorithm : Algorithms.all()) {
      ExperimentLimiter limiter = new ExperimentLimiter(algorithm, new Rate(limit, window), 0);
      List<PlotPoint> points = new ArrayList<>(List.of(PlotPoint.of(0, 0)));
      long before = sendBurst(limiter, first, 0, points);
      long admitted = sendBurst(limiter, period, before, points);
      points.add(PlotPoint.of(ExperimentLimiter.toSeconds(2 * period), admitted));
      long inOneWindow = first == 0 ? before : admitted;
      result.row(algorithm.name(), 2 * limit, inOneWindow, (double) inOneWindow / limit);
      result.series(algorithm.name(), points);
      fixed = algorithm == Algorithms.FIXED_WINDOW ? inOneWindow : fixed;
    }
    return result
        .figure("limit", limit)
        .figure("position", position)
        .figure("admitted", fixed)
        .figure("factor", (double) fixed / limit)
        .figure("gap_ms", gap / 1000.0)
        .figure("burst_per_second", fixed / ExperimentLimiter.toSeconds(gap))
        .build();
  }

  private long sendBurst(
      ExperimentLimiter limiter, long offsetMicros, long before, List<PlotPoint> points) {
    long admitted = before;
    points.add(PlotPoint.of(ExperimentLimiter.toSeconds(offsetMicros), admitted));
    for (long i = 0; i < limit; i++) {
      admitted += limiter.decideAt(offsetMicros, "attacker", 1).allowed() ? 1 : 0;
    }
    points.add(PlotPoint.of(ExperimentLimiter.toSeconds(offsetMicros), admitted));
    return admitted;
  }
}
