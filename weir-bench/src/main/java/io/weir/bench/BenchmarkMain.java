package io.weir.bench;

import io.weir.bench.nodes.NodesSuite;
import io.weir.bench.redis.RedisMemorySuite;
import io.weir.bench.redis.RedisSuite;
import io.weir.bench.report.BenchmarkSuite;
import io.weir.bench.report.MeasurementPlan;
import io.weir.bench.report.ResultTable;
import io.weir.bench.server.GatewaySuite;
import io.weir.bench.server.ServerSuite;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Measures one part of Weir beside its peers; what {@code ./bench PART [--quick]} runs.
 *
 * <p>A new part is one more entry of {@link #SUITES} and one more name in the script.
 */
final class BenchmarkMain {
  private static final Map<String, BenchmarkSuite> SUITES =
      Map.of(
          "core", new CoreSuite(),
          "memory", new MemorySuite(),
          "redis", new RedisSuite(),
          "redis-memory", new RedisMemorySuite(),
          "server", new ServerSuite(),
          "nodes", new NodesSuite(),
          "gateway", new GatewaySuite(),
          "spring", new SpringSuite());

  private BenchmarkMain() {}

  public static void main(String[] args) throws Exception {
    boolean quick = Arrays.asList(args).contains("--quick");
    BenchmarkSuite part = SUITES.get(args[0]);
    if (part == null) {
      throw new IllegalArgumentException("no part is called " + args[0]);
    }
    long start = System.nanoTime();
    System.out.printf(
        "%s%s, commit %s, java %s, %d cores%n",
        args[0],
        quick ? " --quick" : "",
        System.getProperty("weir.commit", "unknown"),
        System.getProperty("java.version"),
        Runtime.getRuntime().availableProcessors());
    List<ResultTable> tables = part.measure(quick ? MeasurementPlan.QUICK : MeasurementPlan.FULL);
    tables.forEach(ResultTable::print);
    System.out.printf("%nmeasured in %d s%n", (System.nanoTime() - start) / 1_000_000_000);
    tables.forEach(ResultTable::printResults);
    if (tables.stream().anyMatch(ResultTable::hasFailures)) {
      System.exit(1);
    }
  }
}
