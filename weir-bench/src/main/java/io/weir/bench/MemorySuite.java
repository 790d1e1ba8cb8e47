package io.weir.bench;

import io.weir.bench.report.BenchmarkSuite;
import io.weir.bench.report.MeasurementPlan;
import io.weir.bench.report.MeasurementPlan.BenchmarkTrial;
import io.weir.bench.report.ResultTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The suite of {@code ./bench memory}: speed and heap with a million callers and more. */
final class MemorySuite implements BenchmarkSuite {
  private static final List<String> FAST_PEERS =
      List.of("chm-bucket4j", "caffeine-bucket4j", "chm-gcra");
  private static final List<String> SMALL_PEERS =
      List.of("chm-bucket4j", "chm-guava", "chm-resilience4j", "chm-gcra");
  private static final String FLOOR = "flat-floor";
  private static final double GIGABYTE_MB = 1024;
  private static final double MB = 1 << 20;

  private final ResultTable keyed =
      ResultTable.higherIsBetter("1M callers by String", "million decisions per second");
  private final ResultTable bytes = ResultTable.lowerIsBetter("retained heap", "bytes per caller");
  private final ResultTable many =
      ResultTable.lowerIsBetter("20M counters with -Xmx1g", "as named");

  @Override
  public List<ResultTable> measure(MeasurementPlan rounds) throws Exception {
    rounds.run(keyedTrials(new JmhRunner(rounds, KeyedBench.class, "2g")));
    rounds.withSingleRound().run(byteTrials(rounds.isQuick()));
    measureManyCounters();
    addResults();
    return List.of(keyed, bytes, many);
  }

  private List<BenchmarkTrial> keyedTrials(JmhRunner jmh) {
    List<BenchmarkTrial> trials = new ArrayList<>();
    for (String access : List.of("uniform", "zipf")) {
      for (int threads = 1; threads <= 2; threads++) {
        for (String table : candidates(FAST_PEERS)) {
          Map<String, String> params = Map.of("table", table, "access", access);
          trials.add(
              new BenchmarkTrial(
                  keyed,
                  table,
                  access + "-" + threads + "t",
                  jmh.scoreOf("decide", threads, params)));
        }
      }
    }
    return trials;
  }

  private List<BenchmarkTrial> byteTrials(boolean quick) {
    List<BenchmarkTrial> trials = new ArrayList<>();
    for (String table : candidates(SMALL_PEERS)) {
      trials.add(
          new BenchmarkTrial(bytes, table, "1m", FootprintBench.measurementOf(table, 1_000_000)));
    }
    for (String table : quick ? List.of("weir") : candidates(SMALL_PEERS)) {
      trials.add(
          new BenchmarkTrial(bytes, table, "5m", FootprintBench.measurementOf(table, 5_000_000)));
    }
    if (quick) {
      bytes.addNote("the peers at 5m are left out of a quick run");
    }
    bytes.addNote("flat-floor is a baseline, not a limiter: fixed size, no expiry");
    return trials;
  }

  /** Returns Weir, the peers and the baseline. */
  private static List<String> candidates(List<String> peers) {
    List<String> all = new ArrayList<>(List.of("weir"));
    all.addAll(peers);
    all.add(FLOOR);
    return all;
  }

  private void measureManyCounters() throws Exception {
    System.out.println("  " + many.title() + ": counting");
    Map<String, Double> figures;
    try {
      figures = ManyCountersBench.run();
    } catch (IllegalStateException e) {
      many.addFailure("20M counters: " + e.getMessage());
      return;
    }
    double heap = figures.getOrDefault("heap", Double.NaN) / MB;
    many.add("weir", "heap-mb", heap);
    many.add("weir", "table-mb", figures.getOrDefault("bytes", Double.NaN) / MB);
    for (String name : List.of("counters", "evicted", "turned-away", "refused", "ns-each")) {
      many.add("weir", name, figures.getOrDefault(name, Double.NaN));
    }
    boolean isComplete = many.median("weir", "counters") == ManyCountersBench.CALLERS;
    for (String name : List.of("evicted", "turned-away", "refused")) {
      isComplete &= many.median("weir", name) == 0;
    }
    if (isComplete) {
      many.addResult("counters-20m-in-1gb-mb", heap, GIGABYTE_MB);
    } else {
      many.addFailure("20M counters: the store did not hold all of them, see the table");
    }
  }

  private void addResults() {
    for (String column : keyed.columns()) {
      for (String peer : FAST_PEERS) {
        keyed.addResult("keyed-" + column + "-mops-vs-" + peer, column, "weir", peer);
      }
    }
    for (String column : bytes.columns()) {
      for (String peer : SMALL_PEERS) {
        if (bytes.hasValues(peer, column)) {
          bytes.addResult("caller-" + column + "-bytes-vs-" + peer, column, "weir", peer);
        }
      }
    }
  }
}
