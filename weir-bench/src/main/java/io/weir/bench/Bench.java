package io.weir.bench;

import io.weir.bench.nodes.NodesPart;
import io.weir.bench.redis.RedisMemoryPart;
import io.weir.bench.redis.RedisPart;
import io.weir.bench.report.Part;
import io.weir.bench.report.Rounds;
import io.weir.bench.report.Table;
import io.weir.bench.server.GatewayPart;
import io.weir.bench.server.ServerPart;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Measures one part of Weir beside its peers; what {@code ./bench PART [--quick]} runs.
 *
 * <p>A new part is one more entry of {@link #PARTS} and one more name in the script.
 */
final class Bench {
  private static final Map<String, Part> PARTS =
      Map.of(
          "core", new CorePart(),
          "memory", new MemoryPart(),
          "redis", new RedisPart(),
          "redis-memory", new RedisMemoryPart(),
          "server", new ServerPart(),
          "nodes", new NodesPart(),
          "gateway", new GatewayPart(),
          "spring", new SpringPart());

  private Bench() {}

  public static void main(String[] args) throws Exception {
    boolean quick = Arrays.asList(args).contains("--quick");
    Part part = PARTS.get(args[0]);
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
    List<Table> tables = part.measure(quick ? Rounds.QUICK : Rounds.FULL);
    tables.forEach(Table::print);
    System.out.printf("%nmeasured in %d s%n", (System.nanoTime() - start) / 1_000_000_000);
    tables.forEach(Table::printResults);
    if (tables.stream().anyMatch(Table::failed)) {
      System.exit(1);
    }
  }
}
