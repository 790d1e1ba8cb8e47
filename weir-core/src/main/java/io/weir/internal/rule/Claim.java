package io.weir.internal.rule;

/**
 * A request for permits of one limit from one counter.
 *
 * @param limit the limit to enforce
 * @param key the key of the counter, opaque and unguessable
 * @param cost the requested permits, at least 1 and at most 2<sup>53</sup>
 */
public record Claim(Limit limit, long key, long cost) {
  /** The maximum cost of a request. */
  public static final long MAX_COST = 1L << 53;

  public Claim {
    checkCost(cost);
  }

  /** Checks the cost of a request, which is at least 1, and returns it. */
  public static long checkCost(long cost) {
    return checkRange(1, cost);
  }

  /** Checks the actual cost of a reservation, which may be 0, and returns it. */
  public static long checkActualCost(long cost) {
    return checkRange(0, cost);
  }

  private static long checkRange(int min, long cost) {
    if (cost < min || cost > MAX_COST) {
      throw new IllegalArgumentException(
          "cost must be a whole number from " + min + " to 2^53 (was " + cost + ")");
    }
    return cost;
  }

  /**
   * Creates the claim of a caller that is identified by its fingerprint. A request takes one slot
   * of an in-flight limit, whatever its cost.
   */
  public static Claim of(Limit limit, long caller, long cost) {
    return new Claim(limit, Limit.key(caller, limit.salt()), limit.isInFlight() ? 1 : cost);
  }
}
