package io.weir.bench;

import io.weir.bench.report.Part;
import io.weir.bench.report.Rounds;
import io.weir.bench.report.Rounds.Trial;
import io.weir.bench.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One key, a whole decision, and finding the rules; what {@code ./bench core} measures. */
final class CorePart implements Part {
  private static final String[] LIMITERS = {
    "weirStore", "weirLimiter", "bucket4j", "bucket4jProbe", "resilience4j", "guava"
  };

  /** A bound, not a peer. */
  private static final double MOST_ALLOCATED = 300;

  private final Table single = Table.lowerIsBetter("one contended key", "ns per call");
  private final Table decide =
      Table.higherIsBetter("a decision, 100 rules of which 2 meet", "million per second");
  private final Table allocation = Table.lowerIsBetter("a decision allocates", "bytes");
  private final Table lookup = Table.lowerIsBetter("finding 2 rules among", "ns per call");

  @Override
  public List<Table> measure(Rounds rounds) throws Exception {
    List<Trial> trials = new ArrayList<>();
    addSingle(trials, new Jmh(rounds, SingleKeyBench.class, "256m"));
    addDecide(trials, "1m-users", "1000000", new Jmh(rounds, DecideBench.class, "2500m"));
    Jmh hot = new Jmh(rounds, DecideBench.class, "512m");
    addDecide(trials, "1k-users", "1000", hot);
    for (String candidate : DecideBench.CANDIDATES) {
      Map<String, String> params = Map.of("users", "1000", "candidate", candidate);
      trials.add(new Trial(allocation, candidate, "decision", hot.allocation("decide", params)));
    }
    Jmh finding = new Jmh(rounds, LookupBench.class, "256m");
    for (String traffic : LookupBench.TRAFFICS) {
      for (String size : LookupBench.SIZES) {
        Map<String, String> params = Map.of("rules", size, "traffic", traffic);
        trials.add(new Trial(lookup, traffic, size, finding.score("claims", 1, params)));
      }
    }
    rounds.run(trials);
    addResults();
    return List.of(single, decide, allocation, lookup);
  }

  private void addSingle(List<Trial> trials, Jmh jmh) {
    for (String outcome : List.of("allow", "refuse")) {
      for (int threads = 1; threads <= 2; threads++) {
        String column = outcome + "-" + threads + "t";
        for (String method : LIMITERS) {
          trials.add(
              new Trial(
                  single, method, column, jmh.score(method, threads, Map.of("outcome", outcome))));
        }
      }
    }
  }

  private void addDecide(List<Trial> trials, String title, String users, Jmh jmh) {
    for (int threads = 1; threads <= 2; threads++) {
      String column = title + "-" + threads + "t";
      for (String candidate : DecideBench.CANDIDATES) {
        Map<String, String> params = Map.of("users", users, "candidate", candidate);
        trials.add(new Trial(decide, candidate, column, jmh.score("decide", threads, params)));
      }
    }
  }

  private void addResults() {
    for (String column : single.columns()) {
      single.result(
          "single-" + column + "-ns", column, "weirStore", "bucket4j", "resilience4j", "guava");
      single.result(
          "single-" + column + "-ns-vs-bucket4j-probe", column, "weirStore", "bucket4jProbe");
    }
    for (String column : decide.columns()) {
      decide.result("decide-" + column + "-mops", column, "weir", "chm-bucket4j");
    }
    allocation.result("decide-alloc-bytes", allocation.median("weir", "decision"), MOST_ALLOCATED);
    for (String traffic : LookupBench.TRAFFICS) {
      lookup.result(
          "lookup-10000-vs-10-" + traffic + "-ns",
          lookup.median(traffic, "10000"),
          lookup.median(traffic, "10"));
    }
  }
}
