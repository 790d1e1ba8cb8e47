package io.weir.bench.server;

import io.weir.bench.report.Part;
import io.weir.bench.report.Rounds;
import io.weir.bench.report.Table;
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
 * The server under load from another process, beside a bare endpoint of the same framework that
 * decides nothing; what {@code ./bench server} measures.
 */
public final class ServerPart implements Part {
  private static final int AT_ONCE = 64;
  private static final int CALLERS = 100_000;
  private static final int BATCH = 100;
  private static final String MAX = "64 at once";
  private static final String RULES =
      "rules: [{id: api, match: {user: '*'}, per: [user], limit: 1000000/hour}]\n";

  private final Table rate = Table.higherIsBetter("As fast as answers come", "decisions/s");
  private final Table cpu = Table.lowerIsBetter("CPU of the server", "µs per decision");
  private final Table p99 = Table.lowerIsBetter("As fast as answers come, p99", "µs");
  private final Table half = Table.lowerIsBetter("Redis, at half of the most", "ms");

  @Override
  public List<Table> measure(Rounds rounds) throws Exception {
    Path folder = Files.createTempDirectory("weir-bench");
    Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    try (RedisProcess redis = RedisProcess.start();
        Target bare = Target.bare();
        Target memory = Target.weir(rules, folder, "--node", "memory");
        Target onRedis =
            Target.weir(
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
              .mapToObj(i -> Grpc.message("bench", "user", "user-" + i * 24))
              .toList();
      List<byte[]> checks = Http1.requests("/v1/check", bodies(4096, 1));
      List<byte[]> batches = Http1.requests("/v1/check-batch", bodies(64, BATCH));
      for (Target target : List.of(bare, memory, onRedis)) {
        warmUp(rounds, target, http(checks));
        warmUp(rounds, target, grpc(calls));
      }
      for (int round = 0; round < rounds.count() + 2; round++) {
        closed("http-bare", bare, http(checks), 1, rounds);
        closed("http-memory", memory, http(checks), 1, rounds);
        closed("http-redis", onRedis, http(checks), 1, rounds);
        closed("http-memory-batch", memory, http(batches), BATCH, rounds);
        closed("http-redis-batch", onRedis, http(batches), BATCH, rounds);
        closed("grpc-bare", bare, grpc(calls), 1, rounds);
        closed("grpc-memory", memory, grpc(calls), 1, rounds);
        closed("grpc-redis", onRedis, grpc(calls), 1, rounds);
      }
      atHalf("http", onRedis, http(checks), rounds);
      atHalf("grpc", onRedis, grpc(calls), rounds);
    } finally {
      try (var files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
    rate.result("server-http-memory-of-bare", MAX, "http-memory", "http-bare");
    rate.result("server-grpc-memory-of-bare", MAX, "grpc-memory", "grpc-bare");
    rate.result("server-http-batch-of-single-memory", MAX, "http-memory-batch", "http-memory");
    rate.result("server-http-batch-of-single-redis", MAX, "http-redis-batch", "http-redis");
    for (String door : List.of("http", "grpc")) {
      half.result("server-" + door + "-redis-p50-under-1ms", half.median(door, "p50"), 1);
      half.result("server-" + door + "-redis-p99-under-5ms", half.median(door, "p99"), 5);
    }
    return List.of(rate, cpu, p99, half);
  }

  private static void warmUp(Rounds rounds, Target target, Talk talk) throws IOException {
    try (Load load = talk.to(target)) {
      load.closed(rounds.quick() ? 12_000 : 20_000); // Java gets faster as it goes
    }
  }

  private void closed(String row, Target target, Talk talk, int each, Rounds rounds)
      throws IOException {
    try (Load load = talk.to(target)) {
      load.closed(rounds.millis());
      double before = target.cpuMicros();
      Load.Seen seen = load.closed(rounds.millis() * 3);
      double used = target.cpuMicros() - before;
      long decisions = seen.latencies().count() * each;
      rate.add(row, MAX, seen.perSecond() * each);
      cpu.add(row, MAX, used / decisions);
      p99.add(row, MAX, seen.latencies().micros(0.99));
      System.out.printf("  %s: %.0f decisions/s%n", row, seen.perSecond() * each);
    }
  }

  private void atHalf(String door, Target target, Talk talk, Rounds rounds) throws IOException {
    double most = rate.median(door + "-redis", MAX);
    try (Load load = talk.to(target)) {
      load.open(1000, most / 2);
      Load.Seen seen = load.open(rounds.quick() ? 5000 : 30_000, most / 2);
      half.add(door, "p50", seen.latencies().micros(0.5) / 1000);
      half.add(door, "p99", seen.latencies().micros(0.99) / 1000);
      half.note("%s: offered %.0f decisions/s, open loop".formatted(door, most / 2));
    }
  }

  /** How a target is spoken to. */
  private interface Talk {
    Load to(Target target) throws IOException;
  }

  private static Talk http(List<byte[]> requests) {
    return target -> {
      List<Exchange> exchanges = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        exchanges.add(Http1.over(requests, i * requests.size() / AT_ONCE));
      }
      return new Load(target.port("http"), exchanges);
    };
  }

  private static Talk grpc(List<byte[]> messages) {
    return target -> {
      List<Exchange> exchanges = new ArrayList<>();
      int connections = AT_ONCE / Grpc.SLOTS;
      for (int i = 0; i < connections; i++) {
        exchanges.add(Grpc.over(messages, i * messages.size() / connections));
      }
      return new Load(target.port("grpc"), exchanges);
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
