package io.weir.internal.algorithm;

/**
 * A rate limiting algorithm: integer arithmetic on the few numbers of a {@link CounterState}.
 *
 * <p>Everything else (atomicity, several rules at once, peeking, shadow rules, expiry, Retry-After)
 * is built on these methods in one place, {@link io.weir.internal.store.ClaimEvaluator}. An
 * algorithm has no state of its own, reads no clock and allocates nothing while deciding. It is
 * thread-safe as long as each state is used by one thread at a time.
 *
 * <p>Times are microseconds since the epoch and durations are microseconds. Every number stays
 * below 2<sup>53</sup>, so that the Lua implementation next to each algorithm, which only has
 * doubles, makes identical decisions. Unless a method says otherwise, a cost must not exceed {@link
 * #capacity}. The methods {@link #available}, {@link #waitTime} and {@link #delay} require a state
 * that has been advanced to the same {@code now}.
 *
 * <p><b>Invariants</b>, checked by {@code AlgorithmLaws} of the test kit: advancing is
 * path-independent (to a and then to b equals to b); a clock that steps back refills nothing; the
 * wait time is exact (refused one microsecond before, admitted at that time); a state is fresh
 * after the wait time of the whole capacity.
 */
public interface Algorithm {

  /** Returns the name used in rules and scripts, such as {@code token-bucket}. */
  String name();

  /**
   * Advances the state to {@code now}. If the clock has stepped back, nothing is refilled: the
   * state follows the clock and keeps the used permits, so a clock error delays a caller by at most
   * one window.
   */
  void advance(LimitParameters parameters, CounterState state, long now);

  /** Returns the number of permits that can be taken now, never negative. */
  long available(LimitParameters parameters, CounterState state, long now);

  /**
   * Returns the whole permits that are used beyond the limit now; 0 while any permit is available.
   * Only a forced charge causes debt. Nodes that synchronize use it to determine how long a counter
   * stays exhausted.
   */
  long debt(LimitParameters parameters, CounterState state, long now);

  /**
   * Charges {@code cost} permits as used at {@code when}, without checking whether they are
   * available. Debt is limited to the size of the limit. A negative cost gives back permits taken
   * by {@code when} that are still counted, the latest first and never more than were used, so the
   * largest cost makes a state fresh; stores call {@link #refund} for that. The state must have
   * been advanced.
   */
  void charge(LimitParameters parameters, CounterState state, long when, long cost);

  /**
   * Refunds the part of {@code cost} permits charged at {@code when} that is still counted at
   * {@code now}, never more than is used. A time in the future is treated as {@code now}. The state
   * must have been advanced to {@code now}.
   *
   * @param when the time returned by {@link #chargedAt}
   */
  default void refund(
      LimitParameters parameters, CounterState state, long now, long when, long cost) {
    charge(parameters, state, Math.min(when, now), -cost);
  }

  /**
   * Returns the time to pass to {@link #refund} for {@code cost} permits, computed from what was
   * known when they were charged: the time of the charge, unless the algorithm counts from another
   * time. In a bucket it is the time at which these permits start to drain, after those charged
   * before them.
   *
   * @param time the time of the charge
   * @param reset the time from the charge until all permits would have been available again
   */
  default long chargedAt(LimitParameters parameters, long time, long reset, long cost) {
    return time;
  }

  /** Returns whether a charge made {@code elapsed} microseconds ago can no longer be counted. */
  default boolean hasExpired(LimitParameters parameters, long elapsed) {
    return elapsed >= 2 * parameters.periodMicros() + parameters.coolDownMicros();
  }

  /**
   * Returns the exact time until {@code cost} is available without other requests; 0 if it is now.
   */
  long waitTime(LimitParameters parameters, CounterState state, long now, long cost);

  /**
   * Returns the time after which the state equals a fresh one if nothing else is charged; stores
   * keep it at least so long.
   */
  default long resetTime(LimitParameters parameters, CounterState state, long now) {
    return waitTime(parameters, state, now, capacity(parameters));
  }

  /** Returns how long a request admitted now must be delayed before it proceeds. */
  default long delay(LimitParameters parameters, CounterState state, long now) {
    return 0;
  }

  /** Returns the largest cost that can ever be admitted, reported to callers as the limit. */
  long capacity(LimitParameters parameters);

  /** Returns how the time of a charge decides until when it counts. */
  WindowModel windowModel();

  /** Returns whether an admitted request may have to be delayed. */
  default boolean delaysRequests() {
    return false;
  }

  /** Returns whether the algorithm supports {@code cool-down}. */
  default boolean hasCoolDown() {
    return false;
  }

  /**
   * Checks, when a rule is loaded, that the algorithm can compute exactly with these parameters.
   *
   * @throws IllegalArgumentException if it cannot; the message says what to change
   */
  default void check(LimitParameters parameters) {}
}
