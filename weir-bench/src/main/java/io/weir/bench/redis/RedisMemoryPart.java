package io.weir.bench.redis;

import static io.weir.bench.redis.Lineup.BUCKET4J;
import static io.weir.bench.redis.Lineup.REDISSON_FORGETTING;
import static io.weir.bench.redis.Lineup.SCRIPT;
import static io.weir.bench.redis.Lineup.WEIR;
import static io.weir.bench.redis.Lineup.WEIR_SMALL;

import io.weir.bench.report.Part;
import io.weir.bench.report.Rounds;
import io.weir.bench.report.Rounds.Trial;
import io.weir.bench.report.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What callers cost Redis in memory, and what it costs to forget them; what {@code ./bench
 * redis-memory} measures.
 */
public final class RedisMemoryPart implements Part {
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final Quota ALL_OF_IT = new Quota(100, Duration.ofHours(1)).costing(100);
  private static final int IN_FLIGHT = 256;
  private static final int FIRST = 100;
  private static final List<String> PEERS = List.of(SCRIPT, BUCKET4J, REDISSON_FORGETTING);

  private final Table bytes =
      Table.lowerIsBetter("token bucket in Redis, expiry included", "bytes per caller");

  @Override
  public List<Table> measure(Rounds rounds) throws Exception {
    rounds.once().run(byteTrials(rounds.quick()));
    bytes.note("as " + Server.which() + " counts it");
    addByteResults();
    return List.of(bytes, growth(rounds.quick()));
  }

  private List<Trial> byteTrials(boolean quick) {
    List<Trial> trials = new ArrayList<>();
    List<String> all = new ArrayList<>(List.of(WEIR, WEIR_SMALL));
    all.addAll(PEERS);
    for (String name : all) {
      trials.add(new Trial(bytes, name, "200k", () -> bytes(name, 200_000)));
    }
    for (String name : quick ? List.of(WEIR, WEIR_SMALL, SCRIPT) : all) {
      trials.add(new Trial(bytes, name, "1m", () -> bytes(name, 1_000_000)));
    }
    if (quick) {
      bytes.note("the other peers at 1m are left out of a quick run");
    }
    return trials;
  }

  /** What so many callers add to what the first few have made Redis allocate. */
  private static double bytes(String name, int callers) throws InterruptedException {
    try (Lineup lineup = new Lineup(ALL_OF_IT, DEADLINE, List.of(name))) {
      Candidate candidate = lineup.candidate(name);
      Server server = lineup.server(name);
      ClosedLoop.runOut(candidate, IN_FLIGHT, Callers.each(callers, callers + FIRST));
      Thread.sleep(500);
      long start = System.nanoTime();
      long before = server.usedMemory();
      ClosedLoop.runOut(candidate, IN_FLIGHT, Callers.each(0, callers));
      Thread.sleep(1000);
      long after = server.usedMemory();
      if (System.nanoTime() - start > ALL_OF_IT.period().toNanos()) {
        throw new IllegalStateException(name + " took so long that the first are forgotten");
      }
      return (after - before) / (double) callers;
    }
  }

  private void addByteResults() {
    for (String column : bytes.columns()) {
      for (String weir : List.of(WEIR, WEIR_SMALL)) {
        for (String peer : PEERS) {
          if (bytes.has(peer, column)) {
            String name = "caller-" + column + "-" + weir + "-redis-bytes-vs-" + peer;
            bytes.result(name, column, weir, peer);
          }
        }
      }
    }
  }

  private static Table growth(boolean quick) throws InterruptedException {
    String size = quick ? "300k" : "5m";
    Growth growth =
        quick
            ? new Growth(300_000, Duration.ofSeconds(10))
            : new Growth(5_000_000, Duration.ofMinutes(2));
    Table table =
        Table.lowerIsBetter(size + " callers come and are forgotten: longest pause", "as named");
    List<String> ours = quick ? List.of(WEIR) : List.of(WEIR, WEIR_SMALL);
    for (String name : quick ? List.of(WEIR, SCRIPT) : List.of(WEIR, WEIR_SMALL, SCRIPT)) {
      System.out.printf("  %s: %s%n", table.title(), name);
      growth.measure(name, table);
    }
    for (String weir : ours) {
      String name = "grow-" + size + "-" + weir;
      for (String column : List.of("growing-ms", "forgetting-ms", "top-mb", "after-mb")) {
        table.result(name + "-" + column + "-vs-script", column, weir, SCRIPT);
      }
      double before = table.median(weir, "before-mb");
      table.result(name + "-after-mb-vs-before", table.median(weir, "after-mb"), before);
    }
    return table;
  }
}
