package io.weir.rule;

/**
 * What a request asks of one limit: so many permits of the counter named by a key.
 *
 * @param limit the limit it is held against
 * @param key the counter, opaque and unguessable
 * @param cost the permits asked for, at least 1 and at most 2<sup>53</sup>
 */
public record Claim(Limit limit, long key, long cost) {
  /** The largest cost a request may have. */
  public static final long MAX_COST = 1L << 53;

  public Claim {
    checkCost(cost);
  }

  /** Refuses what could not be a cost. */
  public static long checkCost(long cost) {
    return checkRange(1, cost);
  }

  /** Refuses what something could not have cost in the end; it may have cost nothing. */
  public static long checkActualCost(long cost) {
    return checkRange(0, cost);
  }

  private static long checkRange(int least, long cost) {
    if (cost < least || cost > MAX_COST) {
      throw new IllegalArgumentException(
          "a cost of " + cost + " cannot be; write a whole number from " + least + " to 2^53");
    }
    return cost;
  }

  /** The claim of a caller known by its fingerprint. */
  public static Claim of(Limit limit, long caller, long cost) {
    return new Claim(limit, Limit.key(caller, limit.salt()), cost);
  }
}
