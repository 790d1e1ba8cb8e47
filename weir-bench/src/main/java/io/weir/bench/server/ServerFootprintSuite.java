package io.weir.bench.server;

import io.weir.bench.report.BenchmarkSuite;
import io.weir.bench.report.MeasurementPlan;
import io.weir.bench.report.ResultTable;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The suite of {@code ./bench footprint}: time to ready, resident memory idle and under load, and
 * decisions per second of a node over Redis, as the launcher starts it and as {@code java -jar}
 * without options does. {@code WEIR_BENCH_LAUNCHER} adds the launcher of another checkout.
 */
public final class ServerFootprintSuite implements BenchmarkSuite {
  private static final int IN_FLIGHT = 64;
  private static final int CALLERS = 100_000;
  private static final int FIRST_CALLS = 1000;
  private static final long IDLE_MILLIS = 3000;
  private static final double MAX_START_MILLIS = 800;
  private static final double MAX_IDLE_MB = 120;
  private static final double MAX_LOADED_MB = 200;
  private static final String LAUNCHER = "weir";
  private static final String PLAIN = "java -jar";
  private static final String RULES =
      "rules: [{id: api, match: {user: '*'}, per: [user], limit: 1000000/hour}]\n";

  private final ResultTable start = ResultTable.lowerIsBetter("Start", "ms");
  private final ResultTable memory = ResultTable.lowerIsBetter("Resident memory", "MB");
  private final ResultTable rate =
      ResultTable.higherIsBetter("64 in flight, 100,000 callers, Redis", "decisions/s");
  private final ResultTable latency = ResultTable.lowerIsBetter("Latency, p99", "µs");

  @Override
  public List<ResultTable> measure(MeasurementPlan rounds) throws Exception {
    Path folder = Files.createTempDirectory("weir-bench");
    Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    List<byte[]> calls =
        IntStream.range(0, CALLERS)
            .mapToObj(i -> GrpcProtocol.encodeMessage("bench", "user", "user-" + i))
            .toList();
    try (RedisProcess redis = RedisProcess.start()) {
      for (int round = 0; round < rounds.rounds() + 2; round++) {
        for (Map.Entry<String, List<String>> candidate : candidates().entrySet()) {
          measure(candidate.getKey(), candidate.getValue(), rules, folder, redis, calls, rounds);
        }
      }
    } finally {
      try (var files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
    start.addResult("start-under-800ms", start.median(LAUNCHER, "ready"), MAX_START_MILLIS);
    memory.addResult("idle-under-120mb", memory.median(LAUNCHER, "idle"), MAX_IDLE_MB);
    memory.addResult("loaded-under-200mb", memory.median(LAUNCHER, "loaded"), MAX_LOADED_MB);
    rate.addResult("grpc-redis-of-plain-java", "gRPC", LAUNCHER, PLAIN);
    latency.addResult(
        "first-p99-under-3x-warm",
        latency.median(LAUNCHER, "first 1,000"),
        3 * latency.median(LAUNCHER, "warm"));
    return List.of(start, memory, rate, latency);
  }

  private static Map<String, List<String>> candidates() {
    Map<String, List<String>> candidates = new LinkedHashMap<>();
    candidates.put(LAUNCHER, List.of(Path.of("weir").toAbsolutePath().toString()));
    String other = System.getenv("WEIR_BENCH_LAUNCHER");
    if (other != null) {
      candidates.put("other launcher", List.of(other));
    }
    candidates.put(
        PLAIN,
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-jar",
            Path.of("weir-cli", "target", "weir-server.jar").toString()));
    return candidates;
  }

  private void measure(
      String row,
      List<String> launcher,
      Path rules,
      Path folder,
      RedisProcess redis,
      List<byte[]> calls,
      MeasurementPlan rounds)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    try (ServerUnderTest server =
        ServerUnderTest.startLauncher(
            launcher, rules, folder, "--store", redis.uri(), "--store-deadline", "1s")) {
      start.add(row, "ready", (System.nanoTime() - begin) / 1e6);
      Thread.sleep(IDLE_MILLIS);
      memory.add(row, "idle", server.residentMegabytes());
      try (ConnectionLoad load = connect(server, calls)) {
        latency.add(row, "first 1,000", load.runRequests(FIRST_CALLS).percentileMicros(0.99));
        load.runClosedLoop(rounds.isQuick() ? 12_000 : 20_000); // JIT warm-up
        double before = server.cpuMicros();
        ConnectionLoad.LoadMeasurement measured =
            load.runClosedLoop(rounds.isQuick() ? 4000 : 10_000);
        memory.add(row, "loaded", server.residentMegabytes());
        rate.add(row, "gRPC", measured.perSecond());
        rate.add(
            row, "per CPU s", measured.latencies().count() / (server.cpuMicros() - before) * 1e6);
        latency.add(row, "warm", measured.latencies().percentileMicros(0.99));
      }
    }
    System.out.printf(
        "  %s: ready after %.0f ms, %.0f MB idle, %.0f MB loaded, %.0f decisions/s%n",
        row,
        start.median(row, "ready"),
        memory.median(row, "idle"),
        memory.median(row, "loaded"),
        rate.median(row, "gRPC"));
  }

  private static ConnectionLoad connect(ServerUnderTest server, List<byte[]> messages)
      throws IOException {
    List<ClientProtocol> exchanges = new ArrayList<>();
    int connections = IN_FLIGHT / GrpcProtocol.MAX_IN_FLIGHT;
    for (int i = 0; i < connections; i++) {
      exchanges.add(GrpcProtocol.startingAt(messages, i * messages.size() / connections));
    }
    return new ConnectionLoad(server.port("grpc"), exchanges);
  }
}
