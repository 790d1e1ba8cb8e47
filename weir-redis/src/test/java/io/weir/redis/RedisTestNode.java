package io.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Consistency;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The main class of a node in a separate JVM. It reads one command per line and writes one line for
 * each: {@code wall}, {@code drift}, {@code nodes}, {@code one algorithm limit caller}, {@code take
 * algorithm limit caller attempts threads}, {@code pace consistency algorithm limit caller
 * per-second seconds}.
 */
final class RedisTestNode {
  private final RedisStore store;

  private RedisTestNode(String uri, String millis) {
    store = RedisStore.at(uri).deadline(Duration.ofMillis(Long.parseLong(millis))).open();
  }

  public static void main(String[] args) throws Exception {
    RedisTestNode node = new RedisTestNode(args[0], args[1]);
    Await.until(Duration.ofSeconds(30), "a store", () -> node.store.health().available());
    println("ready");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      println(node.execute(line.split(" ", -1)));
    }
    System.exit(0); // the parent process has ended
  }

  private String execute(String[] words) throws Exception {
    return switch (words[0]) {
      case "wall" -> Long.toString(Clock.wall().micros());
      case "drift" -> Long.toString(store.health().clockDrift().toMillis());
      case "nodes" -> Integer.toString(store.health().nodes());
      case "pace" ->
          runPaced(
              parseRule(words[2], words[3], words[1]),
              words[4],
              Integer.parseInt(words[5]),
              Integer.parseInt(words[6]));
      case "one" -> {
        println("asking");
        ClaimOutcome outcome =
            RedisStoreTestSupport.take(store, parseRule(words[1], words[2]), words[3], 1);
        yield outcome.degraded() + " " + outcome.admitted();
      }
      case "take" ->
          take(
              parseRule(words[1], words[2]),
              words[3],
              Integer.parseInt(words[4]),
              Integer.parseInt(words[5]));
      default -> throw new IOException("unknown: " + words[0]);
    };
  }

  /** Returns one letter per attempt: y for admitted, n for refused, d for degraded. */
  private String take(Rule rule, String caller, int attempts, int threads) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Callable<String>> tasks = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      tasks.add(
          () -> {
            StringBuilder letters = new StringBuilder();
            for (int i = 0; i < attempts / threads; i++) {
              ClaimOutcome outcome = RedisStoreTestSupport.take(store, rule, caller, 1);
              letters.append(outcome.degraded() ? 'd' : outcome.admitted() ? 'y' : 'n');
            }
            return letters.toString();
          });
    }
    StringBuilder all = new StringBuilder();
    for (var future : pool.invokeAll(tasks)) {
      all.append(future.get());
    }
    pool.shutdown();
    return all.toString();
  }

  /**
   * Sends so many requests per second at an even pace, whatever the outcomes. Returns the number of
   * requests admitted and degraded, and the longest time to an outcome in microseconds.
   */
  private String runPaced(Rule rule, String caller, int perSecond, int seconds) throws Exception {
    Clock clock = Clock.system();
    long startMicros = clock.micros();
    long total = (long) perSecond * seconds;
    LongAdder admitted = new LongAdder();
    LongAdder degraded = new LongAdder();
    LongAccumulator longest = new LongAccumulator(Math::max, 0);
    CompletableFuture<?>[] last = new CompletableFuture<?>[1024];
    Arrays.fill(last, CompletableFuture.completedFuture(null));
    for (long i = 0; i < total; i++) {
      long dueMicros = startMicros + i * 1_000_000 / perSecond;
      while (clock.micros() < dueMicros) {
        LockSupport.parkNanos(200_000);
      }
      Claim[] claims = {RedisStoreTestSupport.claim(store, rule, caller, 1)};
      last[(int) (i % last.length)].join(); // bounds the number in flight
      long sentMicros = clock.micros();
      last[(int) (i % last.length)] =
          store
              .apply(claims, StoreOperation.TAKE)
              .thenAccept(
                  outcome -> {
                    admitted.add(outcome[0].admitted() ? 1 : 0);
                    degraded.add(outcome[0].degraded() ? 1 : 0);
                    longest.accumulate(clock.micros() - sentMicros);
                  });
    }
    CompletableFuture.allOf(last).join();
    return admitted.sum() + " " + degraded.sum() + " " + longest.get();
  }

  /** Parses a limit such as 10/minute, or 1/hour+1000 with a burst. */
  private static Rule parseRule(String algorithm, String limit) {
    return parseRule(algorithm, limit, "exact");
  }

  /** The same with a consistency: exact, leased, local, or synced:100 with milliseconds. */
  private static Rule parseRule(String algorithm, String limit, String consistency) {
    String[] parts = limit.split("\\+", -1);
    String[] consistencyParts = consistency.split(":", -1);
    Consistency.CountingMode kind =
        Consistency.CountingMode.valueOf(consistencyParts[0].toUpperCase(Locale.ROOT));
    Duration every =
        consistencyParts.length > 1
            ? Duration.ofMillis(Long.parseLong(consistencyParts[1]))
            : Duration.ZERO;
    var rule =
        Rule.named("node")
            .algorithm(algorithm)
            .limit(parts[0])
            .consistency(new Consistency(kind, every))
            .onStoreFailure(StoreFailureFallback.CLOSED);
    return (parts.length > 1 ? rule.burst(Long.parseLong(parts[1])) : rule).build();
  }

  private static void println(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
