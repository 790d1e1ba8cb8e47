package io.weir;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The decision of a limiter on a request, with the outcome of every matching rule. Immutable.
 *
 * <p>If several rules match, the decision reports the binding one: among rules that refuse, the one
 * with the longest wait; otherwise the one with the fewest remaining permits. Shadow rules are
 * listed in {@link #rules} but are never binding, and so are rules that allow.
 */
public abstract class Decision {

  /** Creates a decision; only for the evaluated decisions that limiters return. */
  protected Decision() {}

  /** The outcome of one rule. */
  public record RuleOutcome(
      String rule,
      boolean shadow,
      boolean allowed,
      boolean degraded,
      long limit,
      long remaining,
      Duration reset,
      Duration retryAfter) {}

  public abstract boolean allowed();

  /**
   * Returns whether this decision is more restrictive than another one that was made together with
   * it, so that it is the one to report to the caller.
   */
  public abstract boolean isTighterThan(Decision other);

  /** Returns whether the store did not answer for a rule, so that the rule's fallback decided. */
  public abstract boolean degraded();

  /** Returns why the request was refused; empty if it was allowed. */
  public abstract Optional<RefusalReason> refusalReason();

  /**
   * Returns whether it was refused because its cost exceeds the limit, so that waiting is futile.
   */
  public boolean costExceedsLimit() {
    return isRefusedFor(RefusalReason.COST_EXCEEDS_LIMIT);
  }

  /**
   * Returns whether it was refused by a fallback, since the store had no answer. Nothing is known
   * about the permits of the caller then.
   */
  public boolean storeUnavailable() {
    return isRefusedFor(RefusalReason.STORE_UNAVAILABLE);
  }

  /** Returns whether it was refused by a rule with the action {@code block}. */
  public boolean blocked() {
    return isRefusedFor(RefusalReason.BLOCKED);
  }

  private boolean isRefusedFor(RefusalReason reason) {
    return refusalReason().filter(reason::equals).isPresent();
  }

  /** Returns the id of the binding rule, if any enforced rule matched the request. */
  public abstract Optional<String> rule();

  /** Returns the capacity of the binding rule; 0 if there is none. */
  public abstract long limit();

  /**
   * Returns the remaining permits of the binding rule after this decision; 0 if there is none, or
   * if its fallback decided, since the remaining permits are unknown then.
   */
  public abstract long remaining();

  /**
   * Returns the time until all permits of the binding rule are available again; zero for an
   * in-flight limit, since no one knows when requests end.
   */
  public abstract Duration reset();

  /**
   * Returns, for a refused request, the time until it would be admitted if no other request came;
   * zero if it is allowed or can never be admitted.
   */
  public abstract Duration retryAfter();

  /** Returns, for an admitted request, how long to delay it before it proceeds. */
  public abstract Duration delay();

  /** Returns whether a shadow rule would have refused the request. */
  public abstract boolean shadowRefused();

  /** Returns the revision of the rule set that was used. */
  public abstract long revision();

  /** Returns the outcome of every matching rule, including shadow rules, in rule order. */
  public abstract List<RuleOutcome> rules();
}
