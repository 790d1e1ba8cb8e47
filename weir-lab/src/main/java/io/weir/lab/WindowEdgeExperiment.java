package io.weir.lab;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.lab.ExperimentResult.PlotPoint;
import io.weir.rule.Durations;
import io.weir.rule.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The attack on the edge of a window: the whole limit late in one window, and again as the next one
 * begins.
 *
 * @param limit how many permits a window has
 * @param window how long it is
 * @param position where in its window the first burst comes, from 0 for its beginning to 1
 */
public record WindowEdgeExperiment(long limit, Duration window, double position) {
  private static final long MAX_LIMIT = 10_000;

  public WindowEdgeExperiment {
    ExperimentLimiter.require(
        limit >= 1 && limit <= MAX_LIMIT,
        "a limit of " + limit + " cannot be tried; write 1 to " + MAX_LIMIT);
    ExperimentLimiter.require(
        window.toMillis() >= 1 && window.compareTo(Duration.ofDays(1)) <= 0,
        "a window of " + Durations.format(window) + " cannot be tried; write 1ms to 1d");
    ExperimentLimiter.require(
        position >= 0 && position <= 1,
        "a position of " + position + " cannot be; write 0 to 1, such as 0.9");
  }

  /** Makes the attack on all algorithms. */
  public ExperimentResult run() {
    long period = ExperimentLimiter.toMicros(window);
    long first = Math.min((long) (period * position), period - 1);
    long gap = period - first;
    ExperimentResult.ResultBuilder notes =
        new ExperimentResult.ResultBuilder(
            limit + " permits per window, twice across its edge", "seconds", "permits admitted");
    notes.headings("algorithm", "asked", "admitted", "times the limit");
    long fixed = 0;
    for (Algorithm algorithm : Algorithms.all()) {
      ExperimentLimiter bench = new ExperimentLimiter(algorithm, new Rate(limit, window), 0);
      List<PlotPoint> points = new ArrayList<>(List.of(PlotPoint.of(0, 0)));
      long before = sendBurst(bench, first, 0, points);
      long admitted = sendBurst(bench, period, before, points);
      points.add(PlotPoint.of(ExperimentLimiter.toSeconds(2 * period), admitted));
      long inAWindow = first == 0 ? before : admitted;
      notes.row(algorithm.name(), 2 * limit, inAWindow, (double) inAWindow / limit);
      notes.series(algorithm.name(), points);
      fixed = algorithm == Algorithms.FIXED_WINDOW ? inAWindow : fixed;
    }
    return notes
        .figure("limit", limit)
        .figure("position", position)
        .figure("admitted", fixed)
        .figure("factor", (double) fixed / limit)
        .figure("gap_ms", gap / 1000.0)
        .figure("burst_per_second", fixed / ExperimentLimiter.toSeconds(gap))
        .build();
  }

  private long sendBurst(ExperimentLimiter bench, long at, long before, List<PlotPoint> points) {
    long admitted = before;
    points.add(PlotPoint.of(ExperimentLimiter.toSeconds(at), admitted));
    for (long i = 0; i < limit; i++) {
      admitted += bench.decideAt(at, "attacker", 1).allowed() ? 1 : 0;
    }
    points.add(PlotPoint.of(ExperimentLimiter.toSeconds(at), admitted));
    return admitted;
  }
}
