package io.weir.lab;

import io.weir.Decision;
import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.rule.Limit;
import io.weir.lab.ExperimentResult.PlotPoint;
import io.weir.rule.Rate;
import io.weir.rule.RuleException;
import java.util.ArrayList;
import java.util.List;

/**
 * An experiment that replays recorded requests on all algorithms; each key has its own limit.
 *
 * @param lines the requests in order of time
 * @param burst the size of the buckets; 0 for the permits of the rate
 */
public record TraceExperiment(List<TraceLine> lines, Rate rate, long burst) {
  private static final int MAX_PLOT_POINTS = 400;
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  public TraceExperiment {
    ExperimentLimiter.require(
        !lines.isEmpty(), "the trace is empty; add lines such as 12.5,alice,1");
    lines = List.copyOf(lines);
    var unused = Limit.checkRate(rate);
    ExperimentLimiter.require(burst >= 0, "burst must be at least 0 (was " + burst + ")");
  }

  /** Replays the trace on each algorithm. */
  public ExperimentResult run() {
    ExperimentResult.ResultBuilder result =
        new ExperimentResult.ResultBuilder(
            lines.size() + " requests replayed with " + rate, "seconds", "permits admitted");
    result.headings(
        "algorithm",
        "admitted",
        "refused",
        "permits",
        "refused, %",
        "keys refused",
        "max delay, ms");
    result.figure("requests", lines.size());
    result.figure("keys", lines.stream().map(TraceLine::key).distinct().count());
    result.figure("permits", lines.stream().mapToLong(TraceLine::cost).sum());
    for (Algorithm algorithm : Algorithms.all()) {
      try {
        run(new ExperimentLimiter(algorithm, rate, burst), algorithm.name(), result);
      } catch (RuleException e) { // the rate is not supported, for example too many log entries
        result.emptyRow(algorithm.name());
      }
    }
    return result.series("requested", requestedPoints()).build();
  }

  private void run(
      ExperimentLimiter limiter, String algorithm, ExperimentResult.ResultBuilder result) {
    List<PlotPoint> points = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    long permits = 0;
    long maxDelay = 0;
    for (TraceLine line : lines) {
      Decision decision = limiter.decideAt(windowAlignedMicros(line), line.key(), line.cost());
      if (decision.allowed()) {
        permits += line.cost();
        maxDelay = Math.max(maxDelay, ExperimentLimiter.toMicros(decision.delay()));
      } else {
        refused.add(line.key());
      }
      points.add(toPoint(line, permits));
    }
    int admitted = lines.size() - refused.size();
    result.figure(algorithm.replace('-', '_') + "_refused", refused.size());
    result.row(
        algorithm,
        admitted,
        refused.size(),
        permits,
        100.0 * refused.size() / lines.size(),
        refused.stream().distinct().count(),
        maxDelay / 1000.0);
    result.series(algorithm, downsample(points));
  }

  private List<PlotPoint> requestedPoints() {
    List<PlotPoint> points = new ArrayList<>();
    long sum = 0;
    for (TraceLine line : lines) {
      sum += line.cost();
      points.add(toPoint(line, sum));
    }
    return downsample(points);
  }

  private PlotPoint toPoint(TraceLine line, long permits) {
    return PlotPoint.of(
        ExperimentLimiter.toSeconds(line.micros() - lines.get(0).micros()), permits);
  }

  /** Returns the time since the start of the first day, so that windows are aligned as recorded. */
  private long windowAlignedMicros(TraceLine line) {
    return line.micros() - Math.floorDiv(lines.get(0).micros(), MICROS_PER_DAY) * MICROS_PER_DAY;
  }

  /** Reduces the points to at most about {@code MAX_PLOT_POINTS}. */
  private static List<PlotPoint> downsample(List<PlotPoint> points) {
    List<PlotPoint> kept = new ArrayList<>();
    int step = Math.max(1, points.size() / MAX_PLOT_POINTS);
    for (int i = 0; i < points.size(); i += step) {
      kept.add(points.get(i));
    }
    PlotPoint last = points.get(points.size() - 1);
    if (!kept.get(kept.size() - 1).equals(last)) {
      kept.add(last);
    }
    return kept;
  }
}
