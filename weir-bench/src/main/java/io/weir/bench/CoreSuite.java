package io.weir.bench;

import io.weir.bench.report.BenchmarkSuite;
import io.weir.bench.report.MeasurementPlan;
import io.weir.bench.report.MeasurementPlan.BenchmarkTrial;
import io.weir.bench.report.ResultTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The suite of {@code ./bench core}: one key, a whole decision, and the lookup of rules. */
final class CoreSuite implements BenchmarkSuite {
  private static final String[] SINGLE_KEY_METHODS = {
    "weirStore", "weirLimiter", "bucket4j", "bucket4jProbe", "resilience4j", "guava"
  };

  /** A bound, not a peer's result. */
  private static final double MAX_ALLOCATED_BYTES = 300;

  private final ResultTable single = ResultTable.lowerIsBetter("one contended key", "ns per call");
  private final ResultTable decide =
      ResultTable.higherIsBetter("a decision, 100 rules of which 2 match", "million per second");
  private final ResultTable allocation = ResultTable.lowerIsBetter("a decision allocates", "bytes");
  private final ResultTable lookup =
      ResultTable.lowerIsBetter("finding 2 rules among", "ns per call");

  @Override
  public List<ResultTable> measure(MeasurementPlan rounds) throws Exception {
    List<BenchmarkTrial> trials = new ArrayList<>();
    addSingleKeyTrials(trials, new JmhRunner(rounds, SingleKeyBench.class, "256m"));
    addDecisionTrials(
        trials, "1m-users", "1000000", new JmhRunner(rounds, DecideBench.class, "2500m"));
    JmhRunner hot = new JmhRunner(rounds, DecideBench.class, "512m");
    addDecisionTrials(trials, "1k-users", "1000", hot);
    for (String candidate : DecideBench.CANDIDATES) {
      Map<String, String> params = Map.of("users", "1000", "candidate", candidate);
      trials.add(
          new BenchmarkTrial(
              allocation, candidate, "decision", hot.allocationOf("decide", params)));
    }
    JmhRunner rulesLookup = new JmhRunner(rounds, RuleLookupBench.class, "256m");
    for (String traffic : RuleLookupBench.TRAFFICS) {
      for (String size : RuleLookupBench.SIZES) {
        Map<String, String> params = Map.of("rules", size, "traffic", traffic);
        trials.add(
            new BenchmarkTrial(lookup, traffic, size, rulesLookup.scoreOf("claims", 1, params)));
      }
    }
    rounds.run(trials);
    addResults();
    return List.of(single, decide, allocation, lookup);
  }

  private void addSingleKeyTrials(List<BenchmarkTrial> trials, JmhRunner jmh) {
    for (String outcome : List.of("allow", "refuse")) {
      for (int threads = 1; threads <= 2; threads++) {
        String column = outcome + "-" + threads + "t";
        for (String method : SINGLE_KEY_METHODS) {
          trials.add(
              new BenchmarkTrial(
                  single,
                  method,
                  column,
                  jmh.scoreOf(method, threads, Map.of("outcome", outcome))));
        }
      }
    }
  }

  private void addDecisionTrials(
      List<BenchmarkTrial> trials, String title, String users, JmhRunner jmh) {
    for (int threads = 1; threads <= 2; threads++) {
      String column = title + "-" + threads + "t";
      for (String candidate : DecideBench.CANDIDATES) {
        Map<String, String> params = Map.of("users", users, "candidate", candidate);
        trials.add(
            new BenchmarkTrial(decide, candidate, column, jmh.scoreOf("decide", threads, params)));
      }
    }
  }

  private void addResults() {
    for (String column : single.columns()) {
      single.addResult(
          "single-" + column + "-ns", column, "weirStore", "bucket4j", "resilience4j", "guava");
      single.addResult(
          "single-" + column + "-ns-vs-bucket4j-probe", column, "weirStore", "bucket4jProbe");
    }
    for (String column : decide.columns()) {
      decide.addResult("decide-" + column + "-mops", column, "weir", "chm-bucket4j");
    }
    allocation.addResult(
        "decide-alloc-bytes", allocation.median("weir", "decision"), MAX_ALLOCATED_BYTES);
    for (String traffic : RuleLookupBench.TRAFFICS) {
      lookup.addResult(
          "lookup-10000-vs-10-" + traffic + "-ns",
          lookup.median(traffic, "10000"),
          lookup.median(traffic, "10"));
    }
  }
}
