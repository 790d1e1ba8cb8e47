package io.weir.bench.nodes;

import io.weir.bench.Fork;
import io.weir.bench.report.Part;
import io.weir.bench.report.Rounds;
import io.weir.bench.report.Table;
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
 * The ways of counting together, on one hot key: how fast, how many calls of the store, and how
 * many are admitted; what {@code ./bench nodes} measures.
 */
public final class NodesPart implements Part {
  private static final List<String> WAYS = List.of("exact", "leased", "synced:100", "local");
  private static final int JVMS = 4;
  private static final int RATE = 4000;
  private static final int THREADS = 2;

  private final Table speed =
      Table.higherIsBetter("One hot key, one node of 2 threads, each one at a time", "decisions/s");
  private final Table calls = Table.lowerIsBetter("4 JVMs at twice the limit", "calls per 1000");
  private final Table admitted =
      Table.higherIsBetter("4 JVMs at twice the limit", "% of what exact may give");
  private final Table overshoot =
      Table.lowerIsBetter("10 nodes, 100/minute, 1000 req/s", "permits");

  @Override
  public List<Table> measure(Rounds rounds) throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      for (String way : WAYS) {
        speed(redis, way, rounds);
      }
      for (String way : List.of("exact", "leased", "synced:100")) {
        overload(redis, way, rounds.quick() ? 10 : 60);
      }
      manyNodes(redis);
    }
    speed.result("nodes-leased-over-exact-unmerged", "hot", "leased", "exact");
    calls.result("nodes-leased-calls-of-1000", calls.median("leased", "hot"), 50);
    calls.result("nodes-synced-calls-of-1000", calls.median("synced:100", "hot"), 50);
    admitted.result("nodes-leased-of-exact", "hot", "leased", "exact");
    return List.of(speed, calls, admitted, overshoot);
  }

  private void speed(RedisProcess redis, String way, Rounds rounds) throws Exception {
    try (RedisStore store = HotKey.open(redis.uri())) {
      HotKey key = new HotKey(store, way, "9000000/second", 0);
      together(THREADS, () -> key.askFor(rounds.millis() * 3));
      for (int round = 0; round < rounds.count(); round++) {
        long millis = rounds.millis() * 5;
        long sum = together(THREADS, () -> key.askFor(millis)).stream().mapToLong(n -> n).sum();
        speed.add(way, "hot", sum * 1000.0 / millis);
      }
      System.out.printf("  %s: %.0f decisions/s%n", way, speed.median(way, "hot"));
    }
  }

  /** Twice the limit is offered for so long; the bucket holds half a second's worth. */
  private void overload(RedisProcess redis, String way, int seconds) throws Exception {
    long before = calls(redis);
    String each = Integer.toString(2 * RATE / JVMS);
    String start = Long.toString(System.currentTimeMillis() + 6000);
    List<Map<String, Double>> said =
        together(
            JVMS,
            () ->
                Fork.run(
                    OneNode.class,
                    "128m",
                    redis.uri(),
                    way,
                    RATE + "/second",
                    Integer.toString(RATE / 2),
                    each,
                    Integer.toString(seconds),
                    start));
    double sum = said.stream().mapToDouble(one -> one.get("admitted")).sum();
    double began = said.stream().mapToDouble(one -> one.get("began")).min().orElseThrow();
    double ended = said.stream().mapToDouble(one -> one.get("ended")).max().orElseThrow();
    double most = RATE / 2.0 + RATE * (ended - began) / 1000;
    double asked = 2.0 * RATE * (seconds + 2); // those that warm up are calls too
    admitted.add(way, "hot", 100 * sum / most);
    calls.add(way, "hot", 1000 * (calls(redis) - before) / asked);
    System.out.printf(
        "  %s: admitted %.0f of %.0f, %.1f calls per 1000%n",
        way, sum, most, calls.median(way, "hot"));
  }

  private void manyNodes(RedisProcess redis) throws Exception {
    int nodes = 10;
    int seconds = 5;
    List<RedisStore> stores = new ArrayList<>();
    try {
      List<Callable<Long>> work = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        RedisStore store = HotKey.open(redis.uri());
        stores.add(store);
        HotKey key = new HotKey(store, "synced:100", "100/minute", 0);
        work.add(() -> key.pace(100, seconds));
      }
      long sum = together(work).stream().mapToLong(n -> n).sum();
      double exact = 100 + 100 * seconds / 60.0;
      overshoot.add("too many", "seen", Math.max(0, sum - exact));
      overshoot.add("too many", "offered in an interval", 1000 * 0.1);
      overshoot.add("too many", "stated bound", (nodes - 1) * 100);
      overshoot.result("nodes-synced-overshoot", Math.max(1, sum - exact), (nodes - 1) * 100);
    } finally {
      stores.forEach(RedisStore::close);
    }
  }

  private static <T> List<T> together(int count, Callable<T> work) throws Exception {
    List<Callable<T>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(work);
    }
    return together(all);
  }

  private static <T> List<T> together(List<Callable<T>> work) throws Exception {
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

  private static long calls(RedisProcess redis) {
    Matcher m =
        Pattern.compile("cmdstat_fcall:calls=(\\d+)")
            .matcher(String.valueOf(redis.command("INFO", "commandstats")));
    return m.find() ? Long.parseLong(m.group(1)) : 0;
  }
}
