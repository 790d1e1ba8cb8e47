package io.weir.bench;

import io.weir.bench.report.Part;
import io.weir.bench.report.Rounds;
import io.weir.bench.report.Rounds.Trial;
import io.weir.bench.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A million callers and more: how fast and in how many bytes; what {@code ./bench memory} measures.
 */
final class MemoryPart implements Part {
  private static final List<String> FAST_PEERS =
      List.of("chm-bucket4j", "caffeine-bucket4j", "chm-gcra");
  private static final List<String> SMALL_PEERS =
      List.of("chm-bucket4j", "chm-guava", "chm-resilience4j", "chm-gcra");
  private static final String FLOOR = "flat-floor";
  private static final double GIGABYTE_MB = 1024;
  private static final double MB = 1 << 20;

  private final Table keyed =
      Table.higherIsBetter("1M callers by String", "million decisions per second");
  private final Table bytes = Table.lowerIsBetter("retained heap", "bytes per caller");
  private final Table many = Table.lowerIsBetter("20M counters with -Xmx1g", "as named");

  @Override
  public List<Table> measure(Rounds rounds) throws Exception {
    rounds.run(keyedTrials(new Jmh(rounds, KeyedBench.class, "2g")));
    rounds.once().run(byteTrials(rounds.quick()));
    addMany();
    addResults();
    return List.of(keyed, bytes, many);
  }

  private List<Trial> keyedTrials(Jmh jmh) {
    List<Trial> trials = new ArrayList<>();
    for (String access : List.of("uniform", "zipf")) {
      for (int threads = 1; threads <= 2; threads++) {
        for (String table : candidates(FAST_PEERS)) {
          Map<String, String> params = Map.of("table", table, "access", access);
          trials.add(
              new Trial(
                  keyed,
                  table,
                  access + "-" + threads + "t",
                  jmh.score("decide", threads, params)));
        }
      }
    }
    return trials;
  }

  private List<Trial> byteTrials(boolean quick) {
    List<Trial> trials = new ArrayList<>();
    for (String table : candidates(SMALL_PEERS)) {
      trials.add(new Trial(bytes, table, "1m", FootprintBench.probe(table, 1_000_000)));
    }
    for (String table : quick ? List.of("weir") : candidates(SMALL_PEERS)) {
      trials.add(new Trial(bytes, table, "5m", FootprintBench.probe(table, 5_000_000)));
    }
    if (quick) {
      bytes.note("the peers at 5m are left out of a quick run");
    }
    bytes.note("flat-floor is a floor, not a limiter: fixed in size, nothing forgotten");
    return trials;
  }

  /** Weir, the peers and the floor. */
  private static List<String> candidates(List<String> peers) {
    List<String> all = new ArrayList<>(List.of("weir"));
    all.addAll(peers);
    all.add(FLOOR);
    return all;
  }

  private void addMany() throws Exception {
    System.out.println("  " + many.title() + ": counting");
    Map<String, Double> said;
    try {
      said = ManyCountersBench.run();
    } catch (IllegalStateException e) {
      many.fail("20M counters: " + e.getMessage());
      return;
    }
    double heap = said.getOrDefault("heap", Double.NaN) / MB;
    many.add("weir", "heap-mb", heap);
    many.add("weir", "table-mb", said.getOrDefault("bytes", Double.NaN) / MB);
    for (String name : List.of("counters", "evicted", "turned-away", "refused", "ns-each")) {
      many.add("weir", name, said.getOrDefault(name, Double.NaN));
    }
    boolean whole = many.median("weir", "counters") == ManyCountersBench.CALLERS;
    for (String name : List.of("evicted", "turned-away", "refused")) {
      whole &= many.median("weir", name) == 0;
    }
    if (whole) {
      many.result("counters-20m-in-1gb-mb", heap, GIGABYTE_MB);
    } else {
      many.fail("20M counters: the store did not hold all of them, as the table says");
    }
  }

  private void addResults() {
    for (String column : keyed.columns()) {
      for (String peer : FAST_PEERS) {
        keyed.result("keyed-" + column + "-mops-vs-" + peer, column, "weir", peer);
      }
    }
    for (String column : bytes.columns()) {
      for (String peer : SMALL_PEERS) {
        if (bytes.has(peer, column)) {
          bytes.result("caller-" + column + "-bytes-vs-" + peer, column, "weir", peer);
        }
      }
    }
  }
}
