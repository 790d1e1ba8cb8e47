package io.weir.gateway.routing;

/** How requests are distributed over the upstreams of a route. */
public enum BalancePolicy {
  /** In turn, in proportion to their weights. */
  ROUND_ROBIN,
  /** To the upstream with the fewest requests in progress, relative to its weight. */
  LEAST_REQUESTS,
  /** Requests with the same attribute to the same upstream, as long as it is available. */
  HASH
}
