package io.weir.lab.world;

import io.weir.rule.Consistency.CountingMode;
import io.weir.rule.Limit;
import java.util.ArrayList;
import java.util.List;

/** What became of one counter: what was charged in the store, and what nodes admitted on it. */
final class CounterHistory {
  final Limit limit;
  final long key;
  final List<CounterAdmission> admissions = new ArrayList<>();
  final List<StoreCharge> storeCharges = new ArrayList<>();
  long chargedPermits;
  long spentPermits;

  /**
   * Permits that were admitted.
   *
   * @param trueMicros when, in truth
   * @param clockMicros when, as the one knows who admitted it
   * @param immediate whether nobody was asked
   */
  record CounterAdmission(
      long trueMicros,
      int node,
      long cost,
      long clockMicros,
      boolean degraded,
      boolean immediate) {}

  /** Permits the store was told of, and to which time they were charged. */
  record StoreCharge(long trueMicros, long permits, long effectiveMicros, boolean reportedLater) {}

  CounterHistory(Limit limit, long key) {
    this.limit = limit;
    this.key = key;
  }

  /** Whether the store's clock had been set when it decided, or this node on its behalf. */
  static boolean isAfterClockStep(CounterAdmission a, long step) {
    return step != 0
        && Math.abs(a.clockMicros - a.trueMicros - step) < Math.abs(a.clockMicros - a.trueMicros);
  }

  CountingMode countingMode() {
    return limit.rule().consistency().mode();
  }

  /** Those admitted that the store, or a view of it, had charged. */
  List<CounterAdmission> chargedAdmissions() {
    return admissions.stream().filter(a -> !a.degraded).toList();
  }
}
