package io.weir.bench.redis;

import io.weir.bench.report.Table;
import java.time.Duration;
import java.util.List;

/** Requests offered at a fixed rate for a while: how many are answered and how late. */
final class OfferedLoad {
  private static final int PER_SECOND = 58_000;
  private static final double LATEST_MICROS = 5_000;
  private static final Duration DEADLINE = Duration.ofMillis(50);

  private final Table rate =
      Table.higherIsBetter("58,000 requests per second offered", "thousand decisions per second");
  private final Table latency =
      Table.lowerIsBetter("58,000 requests per second offered", "µs since they were due");

  List<Table> tables() {
    return List.of(rate, latency);
  }

  void measure(
      Server server, List<String> candidates, Quota quota, String[] names, Duration watched)
      throws InterruptedException {
    try (Lineup lineup = new Lineup(server, quota, DEADLINE, candidates)) {
      Callers random = Callers.anyOf(names);
      for (String name : candidates) {
        System.out.printf("  %s, %s: ", rate.title(), name);
        try {
          Candidate candidate = lineup.candidate(name);
          ClosedLoop.runOut(candidate, 64, Callers.each(0, names.length));
          Duration warmup = Duration.ofSeconds(1);
          add(name, OpenLoop.run(server, candidate, random, PER_SECOND, warmup, watched));
        } catch (IllegalStateException e) {
          System.out.println("failed");
          rate.fail(rate.title() + ", " + name + ": " + e.getMessage());
        }
      }
    }
    addResults();
  }

  private void add(String name, Sample sample) {
    rate.add(name, "achieved", sample.thousandsPerSecond());
    latency.add(name, "p50", sample.latencies().micros(0.5));
    latency.add(name, "p99", sample.latencies().micros(0.99));
    latency.add(name, "longest", sample.latencies().longestMillis() * 1e3);
    System.out.println(Table.format(sample.thousandsPerSecond()) + " thousand per second");
  }

  private void addResults() {
    if (rate.has(Lineup.WEIR, "achieved")) {
      double achieved = rate.median(Lineup.WEIR, "achieved");
      rate.result("offered-58k-achieved-kops", achieved, PER_SECOND / 1e3);
      double p99 = latency.median(Lineup.WEIR, "p99");
      latency.result("offered-58k-p99-us-vs-5ms", p99, LATEST_MICROS);
    }
    if (!rate.failed() && rate.has(Lineup.SCRIPT, "achieved")) {
      latency.result("offered-58k-p50-us-vs-script", "p50", Lineup.WEIR, Lineup.SCRIPT);
      latency.result("offered-58k-p99-us-vs-script", "p99", Lineup.WEIR, Lineup.SCRIPT);
    }
  }
}
