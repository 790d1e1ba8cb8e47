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
  private static final int CONNECTIONS = 64;
  private static final int CALLERS = 100_000;
  private static final int BATCH = 100;
  private static final String MAX = "64 connections";
  private static final String RULES =
      "rules: [{id: api, match: {user: '*'}, per: [user], limit: 1000000/hour}]\n";

  private final Table rate = Table.higherIsBetter("HTTP, as fast as answers come", "decisions/s");
  private final Table cpu = Table.lowerIsBetter("HTTP, CPU of the server", "µs per decision");
  private final Table p99 = Table.lowerIsBetter("HTTP, as fast as answers come, p99", "µs");
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
      List<byte[]> checks = Http1.requests("/v1/check", bodies(4096, 1));
      List<byte[]> batches = Http1.requests("/v1/check-batch", bodies(64, BATCH));
      warmUp(rounds, checks, bare, memory, onRedis);
      for (int round = 0; round < rounds.count() + 2; round++) {
        closed("bare", bare, checks, 1, rounds);
        closed("weir-memory", memory, checks, 1, rounds);
        closed("weir-redis", onRedis, checks, 1, rounds);
        closed("weir-memory-batch", memory, batches, BATCH, rounds);
        closed("weir-redis-batch", onRedis, batches, BATCH, rounds);
      }
      atHalf(onRedis, checks, rounds);
    } finally {
      try (var files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
    rate.result("server-http-memory-of-bare", MAX, "weir-memory", "bare");
    rate.result("server-http-batch-of-single-memory", MAX, "weir-memory-batch", "weir-memory");
    rate.result("server-http-batch-of-single-redis", MAX, "weir-redis-batch", "weir-redis");
    half.result("server-redis-p50-under-1ms", half.median("weir-redis", "p50"), 1);
    half.result("server-redis-p99-under-5ms", half.median("weir-redis", "p99"), 5);
    return List.of(rate, cpu, p99, half);
  }

  private static void warmUp(Rounds rounds, List<byte[]> checks, Target... targets)
      throws IOException {
    for (Target target : targets) {
      try (Load load = load(target, checks)) {
        load.closed(rounds.quick() ? 4000 : 10_000);
      }
    }
  }

  private void closed(String row, Target target, List<byte[]> requests, int each, Rounds rounds)
      throws IOException {
    try (Load load = load(target, requests)) {
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

  private void atHalf(Target target, List<byte[]> checks, Rounds rounds) throws IOException {
    double most = rate.median("weir-redis", MAX);
    try (Load load = load(target, checks)) {
      load.open(1000, most / 2);
      Load.Seen seen = load.open(rounds.quick() ? 5000 : 30_000, most / 2);
      half.add("weir-redis", "p50", seen.latencies().micros(0.5) / 1000);
      half.add("weir-redis", "p99", seen.latencies().micros(0.99) / 1000);
      half.note("offered %.0f decisions/s, open loop, 64 connections".formatted(most / 2));
    }
  }

  private static Load load(Target target, List<byte[]> requests) throws IOException {
    List<Exchange> exchanges = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      exchanges.add(Http1.over(requests, i * requests.size() / CONNECTIONS));
    }
    return new Load(target.port("http"), exchanges);
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
