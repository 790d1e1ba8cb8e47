package io.weir.lab.world;

import io.weir.rule.Consistency.Kind;
import io.weir.rule.Limit;
import java.util.ArrayList;
import java.util.List;

/** What became of one counter: what was charged in the store, and what nodes admitted on it. */
final class Counter {
  final Limit limit;
  final long key;
  final List<Admission> admitted = new ArrayList<>();
  final List<Served> served = new ArrayList<>();
  long charged;
  long spent;

  /**
   * Permits that were admitted.
   *
   * @param at when, in truth
   * @param time when, as the one knows who admitted it
   * @param atOnce whether nobody was asked
   */
  record Admission(long at, int node, long cost, long time, boolean degraded, boolean atOnce) {}

  /** Permits the store was told of, and to which time they were charged. */
  record Served(long at, long permits, long when, boolean told) {}

  Counter(Limit limit, long key) {
    this.limit = limit;
    this.key = key;
  }

  /** Whether the store's clock had been set when it decided, or this node on its behalf. */
  static boolean isAfterStep(Admission a, long step) {
    return step != 0 && Math.abs(a.time - a.at - step) < Math.abs(a.time - a.at);
  }

  Kind kind() {
    return limit.rule().consistency().kind();
  }

  /** Those admitted that the store, or a view of it, had charged. */
  List<Admission> counted() {
    return admitted.stream().filter(a -> !a.degraded).toList();
  }
}
