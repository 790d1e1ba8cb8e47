package io.weir;

/**
 * Thrown by a {@link Limiter} if more limits apply to a request, or to several requests decided
 * together, than one decision supports. Nothing is charged and the store is not called.
 */
public final class TooManyLimitsException extends IllegalArgumentException {
  /** The maximum number of limits per decision: the maximum number of claims per store call. */
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
