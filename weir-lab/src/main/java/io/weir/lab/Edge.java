package io.weir.lab;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.lab.Finding.Point;
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
public record Edge(long limit, Duration window, double position) {
  private static final long MOST = 10_000;

  public Edge {
    Bench.require(
        limit >= 1 && limit <= MOST,
        "a limit of " + limit + " cannot be tried; write 1 to " + MOST);
    Bench.require(
        window.toMillis() >= 1 && window.compareTo(Duration.ofDays(1)) <= 0,
        "a window of " + Durations.format(window) + " cannot be tried; write 1ms to 1d");
    Bench.require(
        position >= 0 && position <= 1,
        "a position of " + position + " cannot be; write 0 to 1, such as 0.9");
  }

  /** Makes the attack on all algorithms. */
  public Finding run() {
    long period = Bench.micros(window);
    long first = Math.min((long) (period * position), period - 1);
    long gap = period - first;
    Finding.Notes notes =
        new Finding.Notes(
            limit + " permits per window, twice across its edge", "seconds", "permits admitted");
    notes.headings("algorithm", "asked", "admitted", "times the limit");
    long fixed = 0;
    for (Algorithm algorithm : Algorithms.all()) {
      Bench bench = new Bench(algorithm, new Rate(limit, window), 0);
      List<Point> points = new ArrayList<>(List.of(Point.of(0, 0)));
      long before = burst(bench, first, 0, points);
      long admitted = burst(bench, period, before, points);
      points.add(Point.of(Bench.seconds(2 * period), admitted));
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
        .figure("burst_per_second", fixed / Bench.seconds(gap))
        .end();
  }

  private long burst(Bench bench, long at, long before, List<Point> points) {
    long admitted = before;
    points.add(Point.of(Bench.seconds(at), admitted));
    for (long i = 0; i < limit; i++) {
      admitted += bench.ask(at, "attacker", 1).allowed() ? 1 : 0;
    }
    points.add(Point.of(Bench.seconds(at), admitted));
    return admitted;
  }
}
