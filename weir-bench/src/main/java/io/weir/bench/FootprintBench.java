package io.weir.bench;

import io.weir.bench.report.MeasurementPlan;
import java.lang.ref.Reference;

/**
 * The heap that callers of one table retain, everything included: of peers the key, of which Weir
 * keeps none. Each caller is charged once. One table per JVM. Run it: {@code ./bench memory}.
 */
final class FootprintBench {
  private FootprintBench() {}

  /** Measures a table with so many callers, in bytes per caller. */
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
