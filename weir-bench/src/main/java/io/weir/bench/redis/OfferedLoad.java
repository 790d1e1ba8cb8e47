package io.weir.bench.redis;

import io.weir.bench.report.ResultTable;
import java.time.Duration;
import java.util.List;

/** Offers requests at a fixed rate and measures the achieved rate and the latency. */
final class OfferedLoad {
  private static final double P99_BOUND_MICROS = 5_000;
  private static final Duration DEADLINE = Duration.ofMillis(50);

  private final int perSecond;
  private final String weir;
  private final ResultTable rate;
  private final ResultTable latency;

  /** Offers this rate to several candidates, of which {@code weir} is Weir's. */
  OfferedLoad(int perSecond, String weir) {
    this.perSecond = perSecond;
    this.weir = weir;
    String title = "%,d requests per second offered".formatted(perSecond);
    rate = ResultTable.higherIsBetter(title, "thousand decisions per second");
    latency = ResultTable.lowerIsBetter(title, "µs since they were due");
  }

  List<ResultTable> tables() {
    return List.of(rate, latency);
  }

  void measure(List<String> candidates, BucketQuota quota, int callers, Duration watched)
      throws InterruptedException {
    try (CandidateSet lineup = new CandidateSet(quota, DEADLINE, candidates)) {
      CallerSequence random = CallerSequence.randomCallers(0, callers);
      for (String name : candidates) {
        System.out.printf("  %s, %s: ", rate.title(), name);
        try {
          LimiterCandidate candidate = lineup.candidate(name);
          ClosedLoop.runAll(candidate, 64, CallerSequence.eachCallerOnce(0, callers));
          Duration warmup = Duration.ofSeconds(1);
          add(
              name,
              OpenLoop.run(lineup.server(name), candidate, random, perSecond, warmup, watched));
        } catch (IllegalStateException e) {
          System.out.println("failed");
          rate.addFailure(rate.title() + ", " + name + ": " + e.getMessage());
        }
      }
    }
    addResults();
  }

  private void add(String name, LoadSample sample) {
    rate.add(name, "achieved", sample.thousandsPerSecond());
    latency.add(name, "p50", sample.latencies().percentileMicros(0.5));
    latency.add(name, "p99", sample.latencies().percentileMicros(0.99));
    latency.add(name, "longest", sample.latencies().maxMillis() * 1e3);
    System.out.println(ResultTable.format(sample.thousandsPerSecond()) + " thousand per second");
  }

  private void addResults() {
    String name = "offered-" + perSecond / 1000 + "k";
    if (rate.hasValues(weir, "achieved")) {
      rate.addResult(name + "-achieved-kops", rate.median(weir, "achieved"), perSecond / 1e3);
      latency.addResult(name + "-p99-us-vs-5ms", latency.median(weir, "p99"), P99_BOUND_MICROS);
    }
    if (!rate.hasFailures() && rate.hasValues(CandidateSet.SCRIPT, "achieved")) {
      latency.addResult(name + "-p50-us-vs-script", "p50", weir, CandidateSet.SCRIPT);
      latency.addResult(name + "-p99-us-vs-script", "p99", weir, CandidateSet.SCRIPT);
    }
  }
}
