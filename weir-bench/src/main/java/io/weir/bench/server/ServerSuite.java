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
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The suite of {@code ./bench server}: the server under load from another process, compared with a
 * bare server of the same framework that makes no decisions.
 */
public final class ServerSuite implements BenchmarkSuite {
  private static final int IN_FLIGHT = 64;
  private static final int CALLERS = 100_000;
  private static final int BATCH_SIZE = 100;
  private static final String COLUMN = "64 at once";
  private static final String RULES =
      "rules: [{id: api, match: {user: '*'}, per: [user], limit: 1000000/hour}]\n";

  private final ResultTable rate =
      ResultTable.higherIsBetter("As fast as answers come", "decisions/s");
  private final ResultTable cpu = ResultTable.lowerIsBetter("CPU of the server", "µs per decision");
  private final ResultTable p99 = ResultTable.lowerIsBetter("As fast as answers come, p99", "µs");
  private final ResultTable halfRate =
      ResultTable.lowerIsBetter("Redis, at half of the maximum rate", "ms");

  @Override
  public List<ResultTable> measure(MeasurementPlan rounds) throws Exception {
    Path folder = Files.createTempDirectory("weir-bench");
    Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    try (RedisProcess redis = RedisProcess.start();
        ServerUnderTest bare = ServerUnderTest.startBareServer();
        ServerUnderTest memory = ServerUnderTest.startServer(rules, folder, "--node", "memory");
        ServerUnderTest onRedis =
            ServerUnderTest.startServer(
                rules,
                folder,
                "--node",
                "redis",
                "--store",
                redis.uri(),
                "--store-deadline",
                "1s")) {
      List<byte[]> calls =
          IntStream.range(0, 4096)
              .mapToObj(i -> GrpcProtocol.encodeMessage("bench", "user", "user-" + i * 24))
              .toList();
      List<byte[]> checks = Http1Protocol.encodeRequests("/v1/check", bodies(4096, 1));
      List<byte[]> batches =
          Http1Protocol.encodeRequests("/v1/check-batch", bodies(64, BATCH_SIZE));
      for (ServerUnderTest target : List.of(bare, memory, onRedis)) {
        warmUp(rounds, target, http(checks));
        warmUp(rounds, target, grpc(calls));
      }
      for (int round = 0; round < rounds.rounds() + 2; round++) {
        measureClosedLoop("http-bare", bare, http(checks), 1, rounds);
        measureClosedLoop("http-memory", memory, http(checks), 1, rounds);
        measureClosedLoop("http-redis", onRedis, http(checks), 1, rounds);
        measureClosedLoop("http-memory-batch", memory, http(batches), BATCH_SIZE, rounds);
        measureClosedLoop("http-redis-batch", onRedis, http(batches), BATCH_SIZE, rounds);
        measureClosedLoop("grpc-bare", bare, grpc(calls), 1, rounds);
        measureClosedLoop("grpc-memory", memory, grpc(calls), 1, rounds);
        measureClosedLoop("grpc-redis", onRedis, grpc(calls), 1, rounds);
      }
      measureAtHalfRate("http", onRedis, http(checks), rounds);
      measureAtHalfRate("grpc", onRedis, grpc(calls), rounds);
    } finally {
      try (var files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
    rate.addResult("server-http-memory-of-bare", COLUMN, "http-memory", "http-bare");
    rate.addResult("server-grpc-memory-of-bare", COLUMN, "grpc-memory", "grpc-bare");
    rate.addResult(
        "server-http-batch-of-single-memory", COLUMN, "http-memory-batch", "http-memory");
    rate.addResult("server-http-batch-of-single-redis", COLUMN, "http-redis-batch", "http-redis");
    for (String listener : List.of("http", "grpc")) {
      halfRate.addResult(
          "server-" + listener + "-redis-p50-under-1ms", halfRate.median(listener, "p50"), 1);
      halfRate.addResult(
          "server-" + listener + "-redis-p99-under-5ms", halfRate.median(listener, "p99"), 5);
    }
    return List.of(rate, cpu, p99, halfRate);
  }

  private static void warmUp(MeasurementPlan rounds, ServerUnderTest target, LoadFactory factory)
      throws IOException {
    try (ConnectionLoad load = factory.connect(target)) {
      load.runClosedLoop(rounds.isQuick() ? 12_000 : 20_000); // JIT warm-up
    }
  }

  private void measureClosedLoop(
      String row, ServerUnderTest target, LoadFactory factory, int each, MeasurementPlan rounds)
      throws IOException {
    try (ConnectionLoad load = factory.connect(target)) {
      load.runClosedLoop(rounds.iterationMillis());
      double before = target.cpuMicros();
      ConnectionLoad.LoadMeasurement measured = load.runClosedLoop(rounds.iterationMillis() * 3);
      double used = target.cpuMicros() - before;
      long decisions = measured.latencies().count() * each;
      rate.add(row, COLUMN, measured.perSecond() * each);
      cpu.add(row, COLUMN, used / decisions);
      p99.add(row, COLUMN, measured.latencies().percentileMicros(0.99));
      System.out.printf("  %s: %.0f decisions/s%n", row, measured.perSecond() * each);
    }
  }

  private void measureAtHalfRate(
      String listener, ServerUnderTest target, LoadFactory factory, MeasurementPlan rounds)
      throws IOException {
    double maxRate = rate.median(listener + "-redis", COLUMN);
    try (ConnectionLoad load = factory.connect(target)) {
      load.runOpenLoop(1000, maxRate / 2);
      ConnectionLoad.LoadMeasurement measured =
          load.runOpenLoop(rounds.isQuick() ? 5000 : 30_000, maxRate / 2);
      halfRate.add(listener, "p50", measured.latencies().percentileMicros(0.5) / 1000);
      halfRate.add(listener, "p99", measured.latencies().percentileMicros(0.99) / 1000);
      halfRate.addNote("%s: offered %.0f decisions/s, open loop".formatted(listener, maxRate / 2));
    }
  }

  /** Opens connections with one protocol. */
  private interface LoadFactory {
    ConnectionLoad connect(ServerUnderTest target) throws IOException;
  }

  private static LoadFactory http(List<byte[]> requests) {
    return target -> {
      List<ClientProtocol> exchanges = new ArrayList<>();
      for (int i = 0; i < IN_FLIGHT; i++) {
        exchanges.add(Http1Protocol.startingAt(requests, i * requests.size() / IN_FLIGHT));
      }
      return new ConnectionLoad(target.port("http"), exchanges);
    };
  }

  private static LoadFactory grpc(List<byte[]> messages) {
    return target -> {
      List<ClientProtocol> exchanges = new ArrayList<>();
      int connections = IN_FLIGHT / GrpcProtocol.MAX_IN_FLIGHT;
      for (int i = 0; i < connections; i++) {
        exchanges.add(GrpcProtocol.startingAt(messages, i * messages.size() / connections));
      }
      return new ConnectionLoad(target.port("grpc"), exchanges);
    };
  }

  private static List<String> bodies(int count, int checks) {
    Random random = new Random(1);
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                IntStream.range(0, checks)
                    .mapToObj(
                        c -> "{\"attributes\":{\"user\":\"user-" + random.nextInt(CALLERS) + "\"}}")
                    .collect(Collectors.joining(",")))
        .map(all -> checks == 1 ? all : "{\"checks\":[" + all + "]}")
        .toList();
  }
}
