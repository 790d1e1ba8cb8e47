package io.weir.store;

import io.weir.rule.Claim;
import io.weir.rule.Limit;

/**
 * What a store says of one claim. Durations and times are in microseconds.
 *
 * @param admitted whether the claim has room
 * @param degraded whether this is the rule's posture, the store having had no answer
 * @param remaining the permits left after this decision; of a lease that does not fit whole, the
 *     permits it was given, since none are left
 * @param reset the time until all of them are back
 * @param delayOrWait if it fits, how long to hold the request; if not, how long until it would fit,
 *     negative if it never will
 * @param time the store's time of the decision
 * @param debt permits used beyond the limit after this decision; 0 while any are left
 * @param charged whether the whole cost was charged in the store, or the store will be told of it;
 *     only then is there something to give back
 */
public record ClaimOutcome(
    boolean admitted,
    boolean degraded,
    long remaining,
    long reset,
    long delayOrWait,
    long time,
    long debt,
    boolean charged) {
  private static final long DEGRADED_RETRY_MICROS = 1_000_000;

  /** An outcome of a counter that is not in debt. */
  public ClaimOutcome(
      boolean fits,
      boolean degraded,
      long remaining,
      long reset,
      long pause,
      long time,
      boolean charged) {
    this(fits, degraded, remaining, reset, pause, time, 0, charged);
  }

  /** An outcome of a claim that was not charged, on a counter that is not in debt. */
  public ClaimOutcome(
      boolean fits, boolean degraded, long remaining, long reset, long pause, long time) {
    this(fits, degraded, remaining, reset, pause, time, 0, false);
  }

  /** The answer of a posture: nothing is known but yes or no. */
  public static ClaimOutcome degraded(boolean fits, long time) {
    return new ClaimOutcome(fits, true, 0, 0, fits ? 0 : DEGRADED_RETRY_MICROS, time);
  }

  /**
   * The time to date a refund at, of as many of the permits charged with this outcome as the claim
   * says. They are the last of those charged to drain.
   */
  public long chargedAt(Claim refund) {
    Limit limit = refund.limit();
    return limit.algorithm().chargedAt(limit.parameters(), time, reset, refund.cost());
  }

  /** How long until the claim would fit; 0 if it does, and if it never will. */
  public long retryAfter() {
    return admitted ? 0 : Math.max(0, delayOrWait);
  }

  /** How long an admitted request is to be held. */
  public long delay() {
    return admitted ? delayOrWait : 0;
  }

  /** Whether the cost can never fit, however long one waits. */
  public boolean costExceedsLimit() {
    return !admitted && delayOrWait < 0;
  }
}
