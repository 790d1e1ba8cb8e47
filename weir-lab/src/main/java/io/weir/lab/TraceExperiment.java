package io.weir.lab;

import io.weir.Decision;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.lab.ExperimentResult.PlotPoint;
import io.weir.rule.Limit;
import io.weir.rule.Rate;
import io.weir.rule.RuleException;
import java.util.ArrayList;
import java.util.List;

/**
 * What really happened, held against all algorithms side by side; each key has a limit of its own.
 *
 * @param lines in the order of their times
 * @param burst the size of the buckets; 0 for that of the rate
 */
public record TraceExperiment(List<TraceLine> lines, Rate rate, long burst) {
  private static final int MAX_PLOT_POINTS = 400;
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  public TraceExperiment {
    ExperimentLimiter.require(
        !lines.isEmpty(), "the trace is empty; write lines such as 12.5,alice,1");
    lines = List.copyOf(lines);
    var unused = Limit.checkRate(rate);
    ExperimentLimiter.require(burst >= 0, "a burst of " + burst + " cannot be; write at least 1");
  }

  /** Asks all of it of each algorithm. */
  public ExperimentResult run() {
    ExperimentResult.ResultBuilder notes =
        new ExperimentResult.ResultBuilder(
            lines.size() + " requests held against " + rate, "seconds", "permits admitted");
    notes.headings(
        "algorithm",
        "admitted",
        "refused",
        "permits",
        "refused, %",
        "keys refused",
        "longest hold, ms");
    notes.figure("requests", lines.size());
    notes.figure("keys", lines.stream().map(TraceLine::key).distinct().count());
    notes.figure("permits", lines.stream().mapToLong(TraceLine::cost).sum());
    for (Algorithm algorithm : Algorithms.all()) {
      try {
        run(new ExperimentLimiter(algorithm, rate, burst), algorithm.name(), notes);
      } catch (RuleException e) { // as a log, which remembers only so many
        notes.emptyRow(algorithm.name());
      }
    }
    return notes.series("asked for", requestedPoints()).build();
  }

  private void run(
      ExperimentLimiter bench, String algorithm, ExperimentResult.ResultBuilder notes) {
    List<PlotPoint> points = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    long permits = 0;
    long longest = 0;
    for (TraceLine line : lines) {
      Decision decision = bench.decideAt(windowAlignedMicros(line), line.key(), line.cost());
      if (decision.allowed()) {
        permits += line.cost();
        longest = Math.max(longest, ExperimentLimiter.toMicros(decision.delay()));
      } else {
        refused.add(line.key());
      }
      points.add(toPoint(line, permits));
    }
    int admitted = lines.size() - refused.size();
    notes.figure(algorithm.replace('-', '_') + "_refused", refused.size());
    notes.row(
        algorithm,
        admitted,
        refused.size(),
        permits,
        100.0 * refused.size() / lines.size(),
        refused.stream().distinct().count(),
        longest / 1000.0);
    notes.series(algorithm, downsample(points));
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

  /** From the beginning of its first day, so that windows begin when they would have. */
  private long windowAlignedMicros(TraceLine line) {
    return line.micros() - Math.floorDiv(lines.get(0).micros(), MICROS_PER_DAY) * MICROS_PER_DAY;
  }

  /** As many points as can be told apart. */
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
