package io.weir.algorithm;

/**
 * A way to limit: arithmetic over the few numbers of a {@link CounterState}, as five verbs.
 *
 * <p>Everything else (atomicity, several rules at once, peeking, shadow, expiry, Retry-After) is a
 * way of calling these verbs and is written once, in {@code Decide}. An algorithm has no state of
 * its own, reads no clock and allocates nothing on the path of a decision; it is safe for any
 * number of threads as long as each state is used by one at a time.
 *
 * <p>Times are microseconds since the epoch, durations microseconds, and every number stays below
 * 2<sup>53</sup> so that the Lua twin beside each algorithm, which only has doubles, decides
 * identically. A cost of at most {@link #capacity} is the caller's duty where a verb does not say
 * otherwise. The verbs that read ({@code room}, {@code waitFor}, {@code delay}) expect a state
 * already aged to the same {@code now}.
 *
 * <p><b>Laws</b>, checked by {@code AlgorithmLaws} of the test kit: ageing is path-free (to a, then
 * to b, equals to b); a clock that steps back refills nothing; {@code waitFor} is exact (refused
 * one tick before, admitted on it); a state that has waited {@code waitFor(most)} is fresh.
 */
public interface Algorithm {

  /** The name rules and scripts use, such as {@code token-bucket}. */
  String name();

  /**
   * Lets time pass. A clock that stands behind the state refills nothing: the state follows the
   * clock and keeps what was used, so nobody waits longer than one window for a clock's fault.
   */
  void advance(LimitParameters terms, CounterState state, long now);

  /** The permits that fit now, never negative. */
  long available(LimitParameters terms, CounterState state, long now);

  /**
   * The whole permits that are used beyond the limit now, which only a forced charge can bring
   * about; 0 while any {@link #available} is left. Nodes that reconcile learn from it how long a
   * counter stays exhausted.
   */
  long debt(LimitParameters terms, CounterState state, long now);

  /**
   * Takes {@code cost} permits that count as used at {@code when}; whether they fit is the caller's
   * question. Debt is kept up to once the size of the limit. A negative cost gives back what is
   * still counted of permits taken by {@code when}, the latest first, never more, so the largest
   * there is makes a state fresh; stores call {@link #refund} for it. The state must have been
   * aged.
   */
  void charge(LimitParameters terms, CounterState state, long when, long cost);

  /**
   * Gives back what is still counted at {@code now} of {@code cost} permits that were charged at
   * {@code when}, never more than is used. A time that has not come yet is now. The state must have
   * been aged to {@code now}.
   *
   * @param when as {@link #chargedAt} says
   */
  default void refund(LimitParameters terms, CounterState state, long now, long when, long cost) {
    charge(terms, state, Math.min(when, now), -cost);
  }

  /**
   * The time to date a refund of {@code cost} permits at, from what was known when they were
   * charged: the time of the charge itself, unless an algorithm counts it from another. In a bucket
   * it is the time at which these permits begin to drain, after those charged before them.
   *
   * @param time when they were charged
   * @param reset how long after that all permits would have been back
   */
  default long chargedAt(LimitParameters terms, long time, long reset, long cost) {
    return time;
  }

  /** Whether nothing that was charged so many microseconds ago can still be counted. */
  default boolean hasExpired(LimitParameters terms, long elapsed) {
    return elapsed >= 2 * terms.periodMicros() + terms.coolDownMicros();
  }

  /** The exact time until {@code cost} fits if nothing else comes; 0 if it fits now. */
  long waitTime(LimitParameters terms, CounterState state, long now, long cost);

  /** How long a request admitted now has to be held before it may go on. */
  default long delay(LimitParameters terms, CounterState state, long now) {
    return 0;
  }

  /** The largest cost that can ever fit: the {@code limit} a caller is told. */
  long capacity(LimitParameters terms);

  /** Whether {@code burst} means something to this algorithm. */
  default boolean hasBurst() {
    return false;
  }

  /** Whether an admitted request may have to be held. */
  default boolean delaysRequests() {
    return false;
  }

  /** Whether {@code cool-down} means something to this algorithm. */
  default boolean hasCoolDown() {
    return false;
  }

  /**
   * Refuses terms this algorithm could not compute exactly, when a rule is loaded.
   *
   * @throws IllegalArgumentException saying what is wrong and what to write instead
   */
  default void check(LimitParameters terms) {}
}
