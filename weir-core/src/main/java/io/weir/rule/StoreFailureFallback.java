package io.weir.rule;

/**
 * What a rule answers when its store does not.
 *
 * @param action the answer
 * @param percent the share of the budget each node gives out alone where the answer is local; zero
 *     elsewhere
 */
public record StoreFailureFallback(FallbackAction action, int percent) {

  /** The answers there are. */
  public enum FallbackAction {
    /** Admit. */
    OPEN,
    /** Refuse. */
    CLOSED,
    /** Count a share of the budget in this node's memory. */
    LOCAL
  }

  public static final StoreFailureFallback OPEN = new StoreFailureFallback(FallbackAction.OPEN, 0);
  public static final StoreFailureFallback CLOSED =
      new StoreFailureFallback(FallbackAction.CLOSED, 0);

  public StoreFailureFallback {
    if (action == FallbackAction.LOCAL && (percent < 1 || percent > 100)) {
      throw new IllegalArgumentException(
          "local-share of " + percent + "% cannot be; write 1% to 100%");
    }
    if (action != FallbackAction.LOCAL && percent != 0) {
      throw new IllegalArgumentException("local-share goes with local only; leave it out");
    }
  }

  /** That share of a number of permits, at least one if there are any. */
  long localShare(long permits) {
    return Math.max(Math.min(1, permits), permits / 100 * percent + permits % 100 * percent / 100);
  }

  /** Each node counts that share of the budget alone. */
  public static StoreFailureFallback local(int percent) {
    return new StoreFailureFallback(FallbackAction.LOCAL, percent);
  }
}
