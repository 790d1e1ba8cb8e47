package io.weir.bench.nodes;

import io.weir.bench.ForkedJvm;
import io.weir.bench.report.BenchmarkSuite;
import io.weir.bench.report.MeasurementPlan;
import io.weir.bench.report.ResultTable;
import io.weir.redis.RedisStore;
import io.weir.testkit.redis.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The suite of {@code ./bench nodes}: the consistency modes on one hot key, with their speed, store
 * calls and admitted requests.
 */
public final class NodesSuite implements BenchmarkSuite {
  private static final List<String> CONSISTENCY_MODES =
      List.of("exact", "leased", "synced:100", "local");
  private static final int JVMS = 4;
  private static final int PERMITS_PER_SECOND = 4000;
  private static final int THREADS = 2;

  private final ResultTable speed =
      ResultTable.higherIsBetter(
          "One hot key, one node of 2 threads, one request each at a time", "decisions/s");
  private final ResultTable calls =
      ResultTable.lowerIsBetter("4 JVMs at twice the limit", "calls per 1000");
  private final ResultTable admitted =
      ResultTable.higherIsBetter("4 JVMs at twice the limit", "% of the exact limit");
  private final ResultTable overshoot =
      ResultTable.lowerIsBetter("10 nodes, 100/minute, 1000 req/s", "permits");

  @Override
  public List<ResultTable> measure(MeasurementPlan rounds) throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      for (String way : CONSISTENCY_MODES) {
        measureSpeed(redis, way, rounds);
      }
      for (String way : List.of("exact", "leased", "synced:100")) {
        measureOverload(redis, way, rounds.isQuick() ? 10 : 60);
      }
      measureOvershoot(redis);
    }
    speed.addResult("nodes-leased-over-exact-unmerged", "hot", "leased", "exact");
    calls.addResult("nodes-leased-calls-of-1000", calls.median("leased", "hot"), 50);
    calls.addResult("nodes-synced-calls-of-1000", calls.median("synced:100", "hot"), 50);
    admitted.addResult("nodes-leased-of-exact", "hot", "leased", "exact");
    return List.of(speed, calls, admitted, overshoot);
  }

  private void measureSpeed(RedisProcess redis, String way, MeasurementPlan rounds)
      throws Exception {
    try (RedisStore store = HotKeyLoad.openStore(redis.uri())) {
      HotKeyLoad key = new HotKeyLoad(store, way, "9000000/second", 0);
      runConcurrently(THREADS, () -> key.runClosedLoop(rounds.iterationMillis() * 3));
      for (int round = 0; round < rounds.rounds(); round++) {
        long millis = rounds.iterationMillis() * 5;
        long sum =
            runConcurrently(THREADS, () -> key.runClosedLoop(millis)).stream()
                .mapToLong(n -> n)
                .sum();
        speed.add(way, "hot", sum * 1000.0 / millis);
      }
      System.out.printf("  %s: %.0f decisions/s%n", way, speed.median(way, "hot"));
    }
  }

  /** Offers twice the limit for a time; the bucket holds half a second's permits. */
  private void measureOverload(RedisProcess redis, String way, int seconds) throws Exception {
    long before = storeCallCount(redis);
    String each = Integer.toString(2 * PERMITS_PER_SECOND / JVMS);
    String start = Long.toString(System.currentTimeMillis() + 6000);
    List<Map<String, Double>> figures =
        runConcurrently(
            JVMS,
            () ->
                ForkedJvm.run(
                    HotKeyNode.class,
                    "128m",
                    redis.uri(),
                    way,
                    PERMITS_PER_SECOND + "/second",
                    Integer.toString(PERMITS_PER_SECOND / 2),
                    each,
                    Integer.toString(seconds),
                    start));
    double sum = figures.stream().mapToDouble(node -> node.get("admitted")).sum();
    double began = figures.stream().mapToDouble(node -> node.get("began")).min().orElseThrow();
    double ended = figures.stream().mapToDouble(node -> node.get("ended")).max().orElseThrow();
    double allowed = PERMITS_PER_SECOND / 2.0 + PERMITS_PER_SECOND * (ended - began) / 1000;
    double requests = 2.0 * PERMITS_PER_SECOND * (seconds + 2); // includes the warm-up
    admitted.add(way, "hot", 100 * sum / allowed);
    calls.add(way, "hot", 1000 * (storeCallCount(redis) - before) / requests);
    System.out.printf(
        "  %s: admitted %.0f of %.0f, %.1f calls per 1000%n",
        way, sum, allowed, calls.median(way, "hot"));
  }

  private void measureOvershoot(RedisProcess redis) throws Exception {
    int nodes = 10;
    int seconds = 5;
    List<RedisStore> stores = new ArrayList<>();
    try {
      List<Callable<Long>> work = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        RedisStore store = HotKeyLoad.openStore(redis.uri());
        stores.add(store);
        HotKeyLoad key = new HotKeyLoad(store, "synced:100", "100/minute", 0);
        work.add(() -> key.runAtRate(100, seconds));
      }
      long sum = runConcurrently(work).stream().mapToLong(n -> n).sum();
      double exact = 100 + 100 * seconds / 60.0;
      overshoot.add("too many", "seen", Math.max(0, sum - exact));
      overshoot.add("too many", "offered in an interval", 1000 * 0.1);
      overshoot.add("too many", "stated bound", (nodes - 1) * 100);
      overshoot.addResult("nodes-synced-overshoot", Math.max(1, sum - exact), (nodes - 1) * 100);
    } finally {
      stores.forEach(RedisStore::close);
    }
  }

  private static <T> List<T> runConcurrently(int count, Callable<T> work) throws Exception {
    List<Callable<T>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(work);
    }
    return runConcurrently(all);
  }

  private static <T> List<T> runConcurrently(List<Callable<T>> work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(work.size());
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> one : pool.invokeAll(work)) {
        results.add(one.get());
      }
      return results;
    } finally {
      pool.shutdownNow();
    }
  }

  private static long storeCallCount(RedisProcess redis) {
    Matcher m =
        Pattern.compile("cmdstat_fcall:calls=(\\d+)")
            .matcher(String.valueOf(redis.command("INFO", "commandstats")));
    return m.find() ? Long.parseLong(m.group(1)) : 0;
  }
}
