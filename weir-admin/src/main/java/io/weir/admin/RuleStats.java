package io.weir.admin;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Decision counts of one rule since the start of the node. Thread-safe. */
final class RuleStats {
  final LongAdder allowed = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder shadowRefused = new LongAdder();
  final LongAdder degraded = new LongAdder();

  /**
   * The callers it refused most; null before the first refusal, or if too many rules are tracked.
   */
  volatile @Nullable TopRefusedCallers refusedCallers;

  void count(boolean shadow, boolean admitted, boolean fallback) {
    (admitted ? allowed : shadow ? shadowRefused : refused).increment();
    if (fallback) {
      degraded.increment();
    }
  }
}
