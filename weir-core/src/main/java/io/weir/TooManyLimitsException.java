package io.weir;

/**
 * Thrown by a {@link Limiter} for a request, or several that are decided together, to which more
 * limits apply than can be decided at once. Nothing is charged, and the store is not asked.
 */
public final class TooManyLimitsException extends IllegalArgumentException {
  /** The most limits that can be decided at once: as many as one call of a store may have. */
  public static final int MAX_LIMITS = 1000;

  private static final long serialVersionUID = 1L;

  TooManyLimitsException(int limits) {
    super(
        limits
            + " limits apply to the request; at most "
            + MAX_LIMITS
            + " can be decided at once; send fewer descriptors, or match fewer rules");
  }
}
