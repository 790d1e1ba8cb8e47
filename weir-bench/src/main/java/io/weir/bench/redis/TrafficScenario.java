package io.weir.bench.redis;

import java.util.List;

/**
 * Traffic that several candidates are put under in turn.
 *
 * @param name as in the names of results
 * @param title as above a table
 * @param callers how many there are, who ask at random
 * @param refused whether nearly all are refused, or else none
 * @param candidates by name
 * @param inFlight how many requests are kept in flight, one after the other
 */
record TrafficScenario(
    String name,
    String title,
    int callers,
    BucketQuota quota,
    boolean refused,
    List<String> candidates,
    List<Integer> inFlight) {

  /** Fails unless what was granted is what the scenario is about. */
  void check(LoadSample sample) {
    double share = sample.grantedShare();
    if (refused ? share > 0.02 : share < 0.999) {
      throw new IllegalStateException(
          Math.round(1000 * share) / 10.0 + " % of the requests were granted");
    }
  }
}
