package io.weir.gateway.routing;

/**
 * Limits the retries of a route to a fifth of its requests, and 10 at the start, so that retries do
 * not multiply the load of upstreams that fail because of it. Not thread-safe: one per event loop.
 */
public final class RetryBudget {
  private static final double RETRIES_PER_REQUEST = 0.2;
  private static final double MAX_RETRIES = 10;

  private double available = MAX_RETRIES;

  /** Called for each request. */
  public void countRequest() {
    available = Math.min(MAX_RETRIES, available + RETRIES_PER_REQUEST);
  }

  /** Whether a retry is within the budget; it is counted then. */
  public boolean tryRetry() {
    if (available < 1) {
      return false;
    }
    available--;
    return true;
  }
}
