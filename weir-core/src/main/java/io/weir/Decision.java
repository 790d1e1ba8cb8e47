package io.weir;

import io.weir.internal.Durations;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The decision of a limiter on a request, with the outcome of every matching rule. Immutable.
 *
 * <p>If several rules match, the decision reports the binding one: among rules that refuse, the one
 * with the longest wait; otherwise the one with the fewest remaining permits. Shadow rules are
 * listed in {@link #rules} but are never binding.
 */
public final class Decision {
  private static final int NONE = -1;

  private final Claim[] claims;
  private final ClaimOutcome[] outcomes;
  private final long revision;
  private final int bindingIndex;

  Decision(Claim[] claims, ClaimOutcome[] outcomes, long revision) {
    this.claims = claims;
    this.outcomes = outcomes;
    this.revision = revision;
    int tightest = NONE;
    for (int i = 0; i < claims.length; i++) {
      if (!claims[i].limit().shadow() && (tightest == NONE || isTighter(i, tightest))) {
        tightest = i;
      }
    }
    bindingIndex = tightest;
  }

  /**
   * Creates a decision that was made elsewhere, for example by a remote decision service.
   *
   * @param claims the claim on each limit; claims of the same rule must be adjacent
   * @param outcomes the outcome of each claim, in the same order
   */
  public static Decision of(List<Claim> claims, List<ClaimOutcome> outcomes, long revision) {
    if (claims.size() != outcomes.size()) {
      throw new IllegalArgumentException(
          "there must be one outcome per claim (was "
              + outcomes.size()
              + " outcomes for "
              + claims.size()
              + " claims)");
    }
    return new Decision(
        claims.toArray(new Claim[0]), outcomes.toArray(new ClaimOutcome[0]), revision);
  }

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

  public boolean allowed() {
    return bindingIndex == NONE || outcomes[bindingIndex].admitted();
  }

  /**
   * Returns whether this decision is more restrictive than another one that was made together with
   * it, so that it is the one to report to the caller.
   */
  public boolean isTighterThan(Decision other) {
    return bindingIndex != NONE
        && (other.bindingIndex == NONE
            || isTighter(outcomes[bindingIndex], other.outcomes[other.bindingIndex]));
  }

  /** Returns whether the store did not answer for a rule, so that the rule's fallback decided. */
  public boolean degraded() {
    for (ClaimOutcome outcome : outcomes) {
      if (outcome.degraded()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether it was refused because its cost exceeds the limit, so that waiting is futile.
   */
  public boolean costExceedsLimit() {
    return bindingIndex != NONE && outcomes[bindingIndex].costExceedsLimit();
  }

  /** Returns the id of the binding rule, if any enforced rule matched the request. */
  public Optional<String> rule() {
    return bindingIndex == NONE
        ? Optional.empty()
        : Optional.of(claims[bindingIndex].limit().rule().id());
  }

  /** Returns the capacity of the binding rule; 0 if there is none. */
  public long limit() {
    return bindingIndex == NONE ? 0 : claims[bindingIndex].limit().capacity();
  }

  /**
   * Returns the remaining permits of the binding rule after this decision; 0 if there is none, or
   * if its fallback decided, since the remaining permits are unknown then.
   */
  public long remaining() {
    return bindingIndex == NONE ? 0 : outcomes[bindingIndex].remaining();
  }

  /** Returns the time until all permits of the binding rule are available again. */
  public Duration reset() {
    return bindingIndex == NONE ? Duration.ZERO : toDuration(outcomes[bindingIndex].reset());
  }

  /**
   * Returns, for a refused request, the time until it would be admitted if no other request came;
   * zero if it is allowed or can never be admitted.
   */
  public Duration retryAfter() {
    return bindingIndex == NONE ? Duration.ZERO : toDuration(outcomes[bindingIndex].retryAfter());
  }

  /** Returns, for an admitted request, how long to delay it before it proceeds. */
  public Duration delay() {
    long longest = 0;
    for (int i = 0; i < outcomes.length && allowed(); i++) {
      if (!claims[i].limit().shadow()) {
        longest = Math.max(longest, outcomes[i].delay());
      }
    }
    return toDuration(longest);
  }

  /** Returns whether a shadow rule would have refused the request. */
  public boolean shadowRefused() {
    for (int i = 0; i < outcomes.length; i++) {
      if (claims[i].limit().shadow() && !outcomes[i].admitted()) {
        return true;
      }
    }
    return false;
  }

  /** Returns the revision of the rule set that was used. */
  public long revision() {
    return revision;
  }

  /** Returns the outcome of every matching rule, including shadow rules, in rule order. */
  public List<RuleOutcome> rules() {
    List<RuleOutcome> ruleOutcomes = new ArrayList<>();
    forEachRule(
        (limit, o) ->
            ruleOutcomes.add(
                new RuleOutcome(
                    limit.rule().id(),
                    limit.shadow(),
                    o.admitted(),
                    o.degraded(),
                    limit.capacity(),
                    o.remaining(),
                    toDuration(o.reset()),
                    toDuration(o.retryAfter()))));
    return ruleOutcomes;
  }

  /**
   * Passes the most restrictive limit of each matching rule and its outcome to the consumer; unlike
   * {@link #rules} it allocates nothing.
   */
  public void forEachRule(BiConsumer<Limit, ClaimOutcome> consumer) {
    for (int i = 0; i < claims.length; ) {
      String rule = claims[i].limit().rule().id();
      int tightest = i;
      for (i++; i < claims.length && claims[i].limit().rule().id().equals(rule); i++) {
        tightest = isTighter(i, tightest) ? i : tightest;
      }
      consumer.accept(claims[tightest].limit(), outcomes[tightest]);
    }
  }

  /** Returns the number of claims, one per limit of every matching rule, including shadow rules. */
  public int claimCount() {
    return claims.length;
  }

  /** Returns one of the {@link #claimCount} claims, which are in rule order. */
  public Claim claim(int i) {
    return claims[i];
  }

  /** Returns the outcome of one of the {@link #claimCount} claims. */
  public ClaimOutcome outcome(int i) {
    return outcomes[i];
  }

  /** Returns the index of the binding claim; -1 if no enforced rule matched the request. */
  public int bindingIndex() {
    return bindingIndex;
  }

  private boolean isTighter(int i, int than) {
    return isTighter(outcomes[i], outcomes[than]);
  }

  private static boolean isTighter(ClaimOutcome a, ClaimOutcome b) {
    if (a.admitted() != b.admitted()) {
      return !a.admitted();
    }
    if (!a.admitted()) {
      return a.costExceedsLimit() != b.costExceedsLimit()
          ? a.costExceedsLimit()
          : a.delayOrWait() > b.delayOrWait();
    }
    if (a.degraded() != b.degraded()) {
      return b.degraded(); // a fallback does not know the remaining permits
    }
    return a.remaining() != b.remaining() ? a.remaining() < b.remaining() : a.reset() > b.reset();
  }

  private static Duration toDuration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(allowed() ? "allowed" : "refused");
    rule().ifPresent(id -> text.append(" by ").append(id));
    boolean unknown = bindingIndex != NONE && outcomes[bindingIndex].degraded();
    text.append(", ").append(unknown ? "unknown" : Long.toString(remaining()));
    text.append(" of ").append(limit()).append(" left");
    if (!allowed()) {
      text.append(
          costExceedsLimit()
              ? ", cost exceeds limit"
              : ", retry after " + Durations.format(retryAfter()));
    }
    return text.append(degraded() ? ", degraded" : "").toString();
  }
}
