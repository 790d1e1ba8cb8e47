package io.weir.internal.store;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;

/**
 * The answer of a store to one claim. Durations and times are in microseconds.
 *
 * @param admitted whether the claim is admitted
 * @param degraded whether this is the rule's fallback, because the store had no answer
 * @param remaining the permits left after this decision; for a lease that was granted only in part,
 *     the permits it was granted, since none are left
 * @param reset the time until all permits are available again
 * @param delayOrWait if admitted, how long to delay the request; if refused, how long until the
 *     claim would be admitted, negative if it never will be
 * @param time the store's time of the decision
 * @param debt permits used beyond the limit after this decision; 0 while any are left
 * @param charged whether the whole cost was charged in the store or will be reported to it; only
 *     then is there something to refund
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

  /** An outcome for a counter that is not in debt. */
  public ClaimOutcome(
      boolean admitted,
      boolean degraded,
      long remaining,
      long reset,
      long delayOrWait,
      long time,
      boolean charged) {
    this(admitted, degraded, remaining, reset, delayOrWait, time, 0, charged);
  }

  /** An outcome for a claim that was not charged, on a counter that is not in debt. */
  public ClaimOutcome(
      boolean admitted, boolean degraded, long remaining, long reset, long delayOrWait, long time) {
    this(admitted, degraded, remaining, reset, delayOrWait, time, 0, false);
  }

  /** The outcome of a fallback: only whether the claim is admitted is known. */
  public static ClaimOutcome degraded(boolean admitted, long time) {
    return new ClaimOutcome(admitted, true, 0, 0, admitted ? 0 : DEGRADED_RETRY_MICROS, time);
  }

  /**
   * The time at which a refund of some permits charged with this outcome must be dated: as many as
   * the cost of the given claim, the last of those charged to drain.
   */
  public long chargedAt(Claim refund) {
    Limit limit = refund.limit();
    return limit.algorithm().chargedAt(limit.parametersAt(time), time, reset, refund.cost());
  }

  /** The time until the claim would be admitted; 0 if it is, and if it never will be. */
  public long retryAfter() {
    return admitted ? 0 : Math.max(0, delayOrWait);
  }

  /** How long to delay an admitted request; 0 if it was refused. */
  public long delay() {
    return admitted ? delayOrWait : 0;
  }

  /** Whether the remaining permits are known; of the fallbacks, only a local one counts. */
  public boolean isRemainingKnown() {
    return !degraded || reset > 0;
  }

  /** Whether a fallback refused without a counter, so that nothing is known about the permits. */
  public boolean isUnknownRefusal() {
    return !admitted && !isRemainingKnown() && !costExceedsLimit();
  }

  /** Whether the cost is above the limit, so that it is refused however long one waits. */
  public boolean costExceedsLimit() {
    return !admitted && delayOrWait < 0;
  }
}
