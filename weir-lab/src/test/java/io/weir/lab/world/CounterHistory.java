package io.weir.lab.world;

import io.weir.internal.rule.Limit;
import io.weir.rule.Consistency.CountingMode;
import java.util.ArrayList;
import java.util.List;

/** The history of one counter: the charges in the store and the admissions of the nodes. */
final class CounterHistory {
  final Limit limit;
  final long key;
  final List<CounterAdmission> admissions = new ArrayList<>();
  final List<StoreCharge> storeCharges = new ArrayList<>();
  long chargedPermits;
  long spentPermits;

  /**
   * Permits that a node admitted.
   *
   * @param trueMicros the time on the timeline
   * @param clockMicros the time on the clock of the node or store that decided
   * @param immediate whether the node decided without the store
   */
  record CounterAdmission(
      long trueMicros,
      int node,
      long cost,
      long clockMicros,
      boolean degraded,
      boolean immediate) {}

  /** Permits charged in the store, and the time for which they were charged. */
  record StoreCharge(long trueMicros, long permits, long effectiveMicros, boolean reportedLater) {}

  CounterHistory(Limit limit, long key) {
    this.limit = limit;
    this.key = key;
  }

  /** Returns whether the store's clock had already been changed when the decision was made. */
  static boolean isAfterClockStep(CounterAdmission a, long step) {
    return step != 0
        && Math.abs(a.clockMicros - a.trueMicros - step) < Math.abs(a.clockMicros - a.trueMicros);
  }

  CountingMode countingMode() {
    return limit.rule().consistency().mode();
  }

  /** Returns the admissions that the store or a synced view charged. */
  List<CounterAdmission> chargedAdmissions() {
    return admissions.stream().filter(a -> !a.degraded).toList();
  }
}
