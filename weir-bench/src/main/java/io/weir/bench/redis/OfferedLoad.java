package io.weir.bench.redis;

import io.weir.bench.report.Table;
import java.time.Duration;
import java.util.List;

/** Requests offered at a fixed rate for a while: how many are answered and how late. */
final class OfferedLoad {
  private static final double LATEST_MICROS = 5_000;
  private static final Duration DEADLINE = Duration.ofMillis(50);

  private final int perSecond;
  private final String weir;
  private final Table rate;
  private final Table latency;

  /** So many a second, to this candidate of Weir's among others. */
  OfferedLoad(int perSecond, String weir) {
    this.perSecond = perSecond;
    this.weir = weir;
    String title = "%,d requests per second offered".formatted(perSecond);
    rate = Table.higherIsBetter(title, "thousand decisions per second");
    latency = Table.lowerIsBetter(title, "µs since they were due");
  }

  List<Table> tables() {
    return List.of(rate, latency);
  }

  void measure(List<String> candidates, Quota quota, int callers, Duration watched)
      throws InterruptedException {
    try (Lineup lineup = new Lineup(quota, DEADLINE, candidates)) {
      Callers random = Callers.any(0, callers);
      for (String name : candidates) {
        System.out.printf("  %s, %s: ", rate.title(), name);
        try {
          Candidate candidate = lineup.candidate(name);
          ClosedLoop.runOut(candidate, 64, Callers.each(0, callers));
          Duration warmup = Duration.ofSeconds(1);
          add(
              name,
              OpenLoop.run(lineup.server(name), candidate, random, perSecond, warmup, watched));
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
    String name = "offered-" + perSecond / 1000 + "k";
    if (rate.has(weir, "achieved")) {
      rate.result(name + "-achieved-kops", rate.median(weir, "achieved"), perSecond / 1e3);
      latency.result(name + "-p99-us-vs-5ms", latency.median(weir, "p99"), LATEST_MICROS);
    }
    if (!rate.failed() && rate.has(Lineup.SCRIPT, "achieved")) {
      latency.result(name + "-p50-us-vs-script", "p50", weir, Lineup.SCRIPT);
      latency.result(name + "-p99-us-vs-script", "p99", weir, Lineup.SCRIPT);
    }
  }
}
