package io.weir.bench;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One limit per String key, with a million keys present; lookups use other String objects than
 * those inserted. Run with {@code ./bench memory}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class KeyedBench {
  private static final int KEYS = 1_000_000;

  @Param({"weir", "chm-bucket4j", "caffeine-bucket4j", "chm-gcra", "flat-floor"})
  public String table;

  @Param({"uniform", "zipf"})
  public String access;

  private KeyedLimiter limits;
  private String[] lookups;
  private int[] sequence;

  @Setup
  public void setup() {
    CompletableFuture<int[]> order =
        CompletableFuture.supplyAsync(
            () ->
                access.equals("zipf")
                    ? BenchmarkKeys.zipfSequence(KEYS)
                    : BenchmarkKeys.uniformSequence(KEYS));
    limits = KeyedLimiter.create(table, KEYS);
    for (int i = 0; i < KEYS; i++) {
      expectAllowed(BenchmarkKeys.userKey(i));
    }
    limits.verifyKeyCount(KEYS);
    lookups = BenchmarkKeys.userKeys(KEYS);
    sequence = order.join();
  }

  /** Checks that the most popular keys are still allowed. */
  @TearDown
  public void check() {
    for (int i = 0; i < 1000; i++) {
      expectAllowed(lookups[sequence[i]]);
    }
    limits.verifyKeyCount(KEYS);
  }

  private void expectAllowed(String key) {
    if (!limits.tryAcquire(key)) {
      throw new IllegalStateException(table + " refuses " + key);
    }
  }

  @Benchmark
  public boolean decide(SequenceCursor cursor) {
    return limits.tryAcquire(lookups[cursor.next(sequence)]);
  }
}
