package io.weir.server.admin;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What one rule said so far. */
final class RuleStats {
  final LongAdder allowed = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder shadowRefused = new LongAdder();
  final LongAdder degraded = new LongAdder();

  /** Whom it refused; null while it refused nobody, or there is no room to know whom. */
  volatile @Nullable TopRefusedCallers refusedCallers;

  void count(boolean shadow, boolean fits, boolean posture) {
    (fits ? allowed : shadow ? shadowRefused : refused).increment();
    if (posture) {
      degraded.increment();
    }
  }
}
