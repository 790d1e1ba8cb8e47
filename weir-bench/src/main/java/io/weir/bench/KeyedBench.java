package io.weir.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One limit per String key, a million keys already there; lookups use other String objects than
 * those inserted. Run it: {@code ./bench memory}.
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

  private KeyedTable limits;
  private String[] lookups;
  private int[] sequence;

  @Setup
  public void setup() {
    limits = KeyedTable.named(table, KEYS);
    for (int i = 0; i < KEYS; i++) {
      if (!limits.tryAcquire(Keys.user(i))) {
        throw new IllegalStateException(table + " refuses");
      }
    }
    limits.settle(KEYS);
    lookups = Keys.users(KEYS);
    sequence = access.equals("zipf") ? Keys.zipf(KEYS) : Keys.uniform(KEYS);
  }

  @Benchmark
  public boolean decide(Cursor cursor) {
    return limits.tryAcquire(lookups[cursor.next(sequence)]);
  }
}
