package io.weir.bench;

import io.weir.bench.nodes.NodesSuite;
import io.weir.bench.redis.RedisMemorySuite;
import io.weir.bench.redis.RedisSuite;
import io.weir.bench.report.BenchmarkSuite;
import io.weir.bench.report.MeasurementPlan;
import io.weir.bench.report.ResultTable;
import io.weir.bench.server.GatewaySuite;
import io.weir.bench.server.ServerFootprintSuite;
import io.weir.bench.server.ServerSuite;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Runs one benchmark suite: the main class of {@code ./bench PART [--quick]}.
 *
 * <p>A new suite needs an entry in {@link #SUITES} and its name in the script.
 */
final class BenchmarkMain {
  private static final Map<String, BenchmarkSuite> SUITES =
      Map.of(
          "core", new CoreSuite(),
          "memory", new MemorySuite(),
          "redis", new RedisSuite(),
          "redis-memory", new RedisMemorySuite(),
          "server", new ServerSuite(),
          "footprint", new ServerFootprintSuite(),
          "nodes", new NodesSuite(),
          "gateway", new GatewaySuite(),
          "spring", new SpringSuite());

  private BenchmarkMain() {}

  public static void main(String[] args) throws Exception {
    boolean quick = Arrays.asList(args).contains("--quick");
    BenchmarkSuite suite = SUITES.get(args[0]);
    if (suite == null) {
      throw new IllegalArgumentException(
          "part must be one of " + SUITES.keySet() + " (was '" + args[0] + "')");
    }
    long start = System.nanoTime();
    System.out.printf(
        "%s%s, commit %s, java %s, %d cores%n",
        args[0],
        quick ? " --quick" : "",
        System.getProperty("weir.commit", "unknown"),
        System.getProperty("java.version"),
        Runtime.getRuntime().availableProcessors());
    List<ResultTable> tables = suite.measure(quick ? MeasurementPlan.QUICK : MeasurementPlan.FULL);
    tables.forEach(ResultTable::print);
    System.out.printf("%nmeasured in %d s%n", (System.nanoTime() - start) / 1_000_000_000);
    tables.forEach(ResultTable::printResults);
    if (tables.stream().anyMatch(ResultTable::hasFailures)) {
      System.exit(1);
    }
  }
}
