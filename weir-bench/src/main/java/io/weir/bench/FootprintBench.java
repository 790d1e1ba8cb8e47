package io.weir.bench;

import io.weir.bench.report.MeasurementPlan;
import java.lang.ref.Reference;

/**
 * The heap retained per caller, including the key for peers; Weir stores no keys. Each caller is
 * charged once. One limiter per JVM. Run with {@code ./bench memory}.
 */
final class FootprintBench {
  private FootprintBench() {}

  /** Returns a measurement of the bytes per caller for a number of callers. */
  static MeasurementPlan.Measurement measurementOf(String table, int callers) {
    return () -> {
      var numbers = ForkedJvm.run(FootprintBench.class, "6g", table, Integer.toString(callers));
      return numbers.getOrDefault("bytes", Double.NaN) / callers;
    };
  }

  public static void main(String[] args) throws InterruptedException {
    int callers = Integer.parseInt(args[1]);
    KeyedLimiter.create(args[0], 64).tryAcquire("warm");
    long before = ForkedJvm.usedHeapBytes();
    KeyedLimiter table = KeyedLimiter.create(args[0], callers);
    try {
      for (int i = 0; i < callers; i++) {
        table.tryAcquire(BenchmarkKeys.userKey(i));
      }
      table.verifyKeyCount(callers);
      ForkedJvm.report("bytes", ForkedJvm.usedHeapBytes() - before);
    } finally {
      Reference.reachabilityFence(table);
    }
  }
}
