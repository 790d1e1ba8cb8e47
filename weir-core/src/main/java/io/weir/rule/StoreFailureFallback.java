package io.weir.rule;

/**
 * How a rule decides while its store is unavailable.
 *
 * @param action the action
 * @param percent the share of the budget that each node gives out alone, for action LOCAL;
 *     otherwise zero
 */
public record StoreFailureFallback(FallbackAction action, int percent) {

  /** The possible actions. */
  public enum FallbackAction {
    /** Admits requests (fail open). */
    OPEN,
    /** Refuses requests (fail closed). */
    CLOSED,
    /** Counts a share of the budget in the memory of this node. */
    LOCAL
  }

  public static final StoreFailureFallback OPEN = new StoreFailureFallback(FallbackAction.OPEN, 0);
  public static final StoreFailureFallback CLOSED =
      new StoreFailureFallback(FallbackAction.CLOSED, 0);

  public StoreFailureFallback {
    if (action == FallbackAction.LOCAL && (percent < 1 || percent > 100)) {
      throw new IllegalArgumentException(
          "local-share must be between 1% and 100% (was " + percent + "%)");
    }
    if (action != FallbackAction.LOCAL && percent != 0) {
      throw new IllegalArgumentException(
          "local-share is only allowed with on-store-failure local; leave it out");
    }
  }

  /** Returns the local share of a number of permits: at least one, unless there are none. */
  public long localShare(long permits) {
    return Math.max(Math.min(1, permits), permits / 100 * percent + permits % 100 * percent / 100);
  }

  /** Lets each node give out this percentage of the budget alone. */
  public static StoreFailureFallback local(int percent) {
    return new StoreFailureFallback(FallbackAction.LOCAL, percent);
  }
}
