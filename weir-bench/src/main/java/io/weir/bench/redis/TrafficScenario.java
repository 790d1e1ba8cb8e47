package io.weir.bench.redis;

import java.util.List;

/**
 * Traffic for several candidates, measured one after the other.
 *
 * @param name the name in result lines
 * @param title the title of the tables
 * @param callers the number of callers, chosen at random per request
 * @param refused whether nearly all requests are refused, or else none
 * @param candidates the names of the candidates
 * @param inFlight the numbers of requests in flight to measure
 */
record TrafficScenario(
    String name,
    String title,
    int callers,
    BucketQuota quota,
    boolean refused,
    List<String> candidates,
    List<Integer> inFlight) {

  /** Fails unless the share of granted requests is as expected for the scenario. */
  void check(LoadSample sample) {
    double share = sample.grantedShare();
    if (refused ? share > 0.02 : share < 0.999) {
      throw new IllegalStateException(
          Math.round(1000 * share) / 10.0 + " % of the requests were granted");
    }
  }
}
