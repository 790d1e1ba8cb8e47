package io.weir.algorithm;

/**
 * A way to limit: arithmetic over the few numbers of a {@link State}, as four verbs.
 *
 * <p>Everything else (atomicity, several rules at once, peeking, shadow, expiry, Retry-After) is a
 * way of calling these verbs and is written once, in {@code Decide}. An algorithm has no state of
 * its own, reads no clock and allocates nothing on the path of a decision; it is safe for any
 * number of threads as long as each state is used by one at a time.
 *
 * <p>Times are microseconds since the epoch, durations microseconds, and every number stays below
 * 2<sup>53</sup> so that the Lua twin beside each algorithm, which only has doubles, decides
 * identically. A cost of at most {@link #most} is the caller's duty where a verb does not say
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
  void age(Terms terms, State state, long now);

  /** The permits that fit now, never negative. */
  long room(Terms terms, State state, long now);

  /**
   * Takes {@code cost} permits that count as used at {@code when}; whether they fit is the caller's
   * question. A negative cost gives back what is still counted of permits taken by {@code when},
   * the latest first, never more; so the largest there is makes a state fresh. Debt is kept up to
   * once the size of the limit. The state must have been aged.
   */
  void charge(Terms terms, State state, long when, long cost);

  /** The exact time until {@code cost} fits if nothing else comes; 0 if it fits now. */
  long waitFor(Terms terms, State state, long now, long cost);

  /** How long a request admitted now has to be held before it may go on. */
  default long delay(Terms terms, State state, long now) {
    return 0;
  }

  /** The largest cost that can ever fit: the {@code limit} a caller is told. */
  long most(Terms terms);

  /** Whether {@code burst} means something to this algorithm. */
  default boolean bursts() {
    return false;
  }

  /** Whether an admitted request may have to be held. */
  default boolean queues() {
    return false;
  }

  /** Whether {@code cool-down} means something to this algorithm. */
  default boolean coolsDown() {
    return false;
  }

  /**
   * Refuses terms this algorithm could not compute exactly, when a rule is loaded.
   *
   * @throws IllegalArgumentException saying what is wrong and what to write instead
   */
  default void check(Terms terms) {}
}
