package io.weir.lab;

import io.weir.Decision;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.lab.Finding.Point;
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
public record Burst(long limit, long burst, long requests) {
  private static final long MOST = 20_000;

  public Burst {
    Bench.require(
        limit >= 1 && limit <= MOST,
        "a limit of " + limit + " cannot be tried; write 1 to " + MOST);
    Bench.require(
        burst >= 1 && burst <= MOST,
        "a burst of " + burst + " cannot be tried; write 1 to " + MOST);
    Bench.require(
        requests >= 1 && requests <= MOST,
        requests + " requests cannot be tried; write 1 to " + MOST);
  }

  /** Sends the burst to both. */
  public Finding run() {
    Finding.Notes notes =
        new Finding.Notes(
            requests + " requests at once, " + limit + " a second, bucket of " + burst,
            "seconds",
            "requests gone on");
    notes.headings("algorithm", "admitted", "refused", "longest wait, ms", "most in 100 ms");
    notes.figure("limit", limit).figure("burst", burst).figure("requests", requests);
    for (Algorithm algorithm : List.of(Algorithms.TOKEN_BUCKET, Algorithms.LEAKY_BUCKET)) {
      Bench bench = new Bench(algorithm, new Rate(limit, Duration.ofSeconds(1)), burst);
      List<Long> out = new ArrayList<>();
      for (long i = 0; i < requests; i++) {
        Decision decision = bench.ask(0, "caller", 1);
        if (decision.allowed()) {
          out.add(Bench.micros(decision.delay()));
        }
      }
      String name = algorithm.name();
      long longest = out.isEmpty() ? 0 : out.get(out.size() - 1);
      long peak = peak(out);
      notes.row(name, out.size(), requests - out.size(), longest / 1000.0, peak);
      String prefix = name.replace("-bucket", "_");
      notes.figure(prefix + "admitted", out.size());
      notes.figure(prefix + "longest_wait_ms", longest / 1000.0);
      notes.figure(prefix + "most_in_100_ms", peak);
      notes.series(name, points(out));
    }
    return notes.end();
  }

  private List<Point> points(List<Long> out) {
    List<Point> points = new ArrayList<>();
    double end = (double) burst / limit;
    points.add(Point.of(0, 0));
    for (int i = 0; i < out.size(); i++) {
      double at = Bench.seconds(out.get(i));
      points.add(Point.of(at, i));
      points.add(Point.of(at, i + 1));
    }
    points.add(Point.of(end, out.size()));
    return points;
  }

  /** The most that go on within a tenth of a second. */
  private static long peak(List<Long> out) {
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
