package io.weir.bench.redis;

import static io.weir.bench.redis.CandidateSet.BUCKET4J;
import static io.weir.bench.redis.CandidateSet.REDISSON_FORGETTING;
import static io.weir.bench.redis.CandidateSet.SCRIPT;
import static io.weir.bench.redis.CandidateSet.WEIR;
import static io.weir.bench.redis.CandidateSet.WEIR_SMALL;

import io.weir.bench.report.BenchmarkSuite;
import io.weir.bench.report.MeasurementPlan;
import io.weir.bench.report.MeasurementPlan.BenchmarkTrial;
import io.weir.bench.report.ResultTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The suite of {@code ./bench redis-memory}: the memory of callers in Redis and the cost of their
 * expiry.
 */
public final class RedisMemorySuite implements BenchmarkSuite {
  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final BucketQuota FULL_BUCKET_COST =
      new BucketQuota(100, Duration.ofHours(1)).withCost(100);
  private static final int IN_FLIGHT = 256;
  private static final int WARM_UP_CALLERS = 100;
  private static final List<String> PEERS = List.of(SCRIPT, BUCKET4J, REDISSON_FORGETTING);

  private final ResultTable bytes =
      ResultTable.lowerIsBetter("token bucket in Redis, expiry included", "bytes per caller");

  @Override
  public List<ResultTable> measure(MeasurementPlan rounds) throws Exception {
    rounds.withSingleRound().run(byteTrials(rounds.isQuick()));
    bytes.addNote("as reported by " + MeasuredRedis.describe());
    addByteResults();
    return List.of(bytes, measureGrowth(rounds.isQuick()));
  }

  private List<BenchmarkTrial> byteTrials(boolean quick) {
    List<BenchmarkTrial> trials = new ArrayList<>();
    List<String> all = new ArrayList<>(List.of(WEIR, WEIR_SMALL));
    all.addAll(PEERS);
    for (String name : all) {
      trials.add(
          new BenchmarkTrial(bytes, name, "200k", () -> measureBytesPerCaller(name, 200_000)));
    }
    for (String name : quick ? List.of(WEIR, WEIR_SMALL, SCRIPT) : all) {
      trials.add(
          new BenchmarkTrial(bytes, name, "1m", () -> measureBytesPerCaller(name, 1_000_000)));
    }
    if (quick) {
      bytes.addNote("the other peers at 1m are left out of a quick run");
    }
    return trials;
  }

  /** Returns the bytes per caller, beyond the memory after the first few callers. */
  private static double measureBytesPerCaller(String name, int callers)
      throws InterruptedException {
    try (CandidateSet lineup = new CandidateSet(FULL_BUCKET_COST, DEADLINE, List.of(name))) {
      LimiterCandidate candidate = lineup.candidate(name);
      MeasuredRedis server = lineup.server(name);
      ClosedLoop.runAll(
          candidate, IN_FLIGHT, CallerSequence.eachCallerOnce(callers, callers + WARM_UP_CALLERS));
      Thread.sleep(500);
      long start = System.nanoTime();
      long before = server.usedMemory();
      ClosedLoop.runAll(candidate, IN_FLIGHT, CallerSequence.eachCallerOnce(0, callers));
      Thread.sleep(1000);
      long after = server.usedMemory();
      if (System.nanoTime() - start > FULL_BUCKET_COST.period().toNanos()) {
        throw new IllegalStateException(name + " was too slow: the first callers have expired");
      }
      return (after - before) / (double) callers;
    }
  }

  private void addByteResults() {
    for (String column : bytes.columns()) {
      for (String weir : List.of(WEIR, WEIR_SMALL)) {
        for (String peer : PEERS) {
          if (bytes.hasValues(peer, column)) {
            String name = "caller-" + column + "-" + weir + "-redis-bytes-vs-" + peer;
            bytes.addResult(name, column, weir, peer);
          }
        }
      }
    }
  }

  private static ResultTable measureGrowth(boolean quick) throws InterruptedException {
    String size = quick ? "300k" : "5m";
    GrowthMeasurement growth =
        quick
            ? new GrowthMeasurement(300_000, Duration.ofSeconds(10))
            : new GrowthMeasurement(5_000_000, Duration.ofMinutes(2));
    ResultTable table =
        ResultTable.lowerIsBetter(
            size + " callers are added and expire: longest pause", "as named");
    List<String> ours = quick ? List.of(WEIR) : List.of(WEIR, WEIR_SMALL);
    for (String name : quick ? List.of(WEIR, SCRIPT) : List.of(WEIR, WEIR_SMALL, SCRIPT)) {
      System.out.printf("  %s: %s%n", table.title(), name);
      growth.measure(name, table);
    }
    for (String weir : ours) {
      String name = "grow-" + size + "-" + weir;
      for (String column : List.of("growing-ms", "forgetting-ms", "top-mb", "after-mb")) {
        table.addResult(name + "-" + column + "-vs-script", column, weir, SCRIPT);
      }
      double before = table.median(weir, "before-mb");
      table.addResult(name + "-after-mb-vs-before", table.median(weir, "after-mb"), before);
    }
    return table;
  }
}
