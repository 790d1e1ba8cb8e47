package io.weir.internal.decision;

import io.weir.Decision;
import io.weir.RefusalReason;
import io.weir.internal.Durations;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.internal.rule.Verdict;
import io.weir.internal.store.ClaimOutcome;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A decision with its claims and their outcomes: what the engine and Weir's endpoints know about a
 * {@link Decision}. Every decision is one; the public class hides it. Immutable.
 */
public final class EvaluatedDecision extends Decision {
  private static final int NONE = -1;

  private final Claim[] claims;
  private final ClaimOutcome[] outcomes;
  private final long revision;
  private final int bindingIndex;

  /**
   * Creates a decision; the arrays must not be modified afterwards.
   *
   * @param claims the claim on each limit; claims of the same rule must be adjacent
   * @param outcomes the outcome of each claim, in the same order
   */
  public EvaluatedDecision(Claim[] claims, ClaimOutcome[] outcomes, long revision) {
    this.claims = claims;
    this.outcomes = outcomes;
    this.revision = revision;
    int tightest = NONE;
    for (int i = 0; i < claims.length; i++) {
      Limit limit = claims[i].limit();
      boolean binds = !limit.shadow() && limit.verdict() != Verdict.ALLOW;
      if (binds && (tightest == NONE || isTighter(i, tightest))) {
        tightest = i;
      }
    }
    bindingIndex = tightest;
  }

  /** Returns the evaluated form of a decision. */
  public static EvaluatedDecision of(Decision decision) {
    return (EvaluatedDecision) decision;
  }

  /**
   * Creates a decision that was made elsewhere, for example by a remote decision service.
   *
   * @param claims the claim on each limit; claims of the same rule must be adjacent
   * @param outcomes the outcome of each claim, in the same order
   */
  public static EvaluatedDecision of(
      List<Claim> claims, List<ClaimOutcome> outcomes, long revision) {
    if (claims.size() != outcomes.size()) {
      throw new IllegalArgumentException(
          "there must be one outcome per claim (was "
              + outcomes.size()
              + " outcomes for "
              + claims.size()
              + " claims)");
    }
    return new EvaluatedDecision(
        claims.toArray(new Claim[0]), outcomes.toArray(new ClaimOutcome[0]), revision);
  }

  @Override
  public boolean allowed() {
    return bindingIndex == NONE || outcomes[bindingIndex].admitted();
  }

  @Override
  public boolean isTighterThan(Decision than) {
    EvaluatedDecision other = of(than);
    return bindingIndex != NONE
        && (other.bindingIndex == NONE
            || isTighter(outcomes[bindingIndex], other.outcomes[other.bindingIndex]));
  }

  @Override
  public boolean degraded() {
    for (ClaimOutcome outcome : outcomes) {
      if (outcome.degraded()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Optional<RefusalReason> refusalReason() {
    return allowed()
        ? Optional.empty()
        : Optional.of(refusalReason(claims[bindingIndex].limit(), outcomes[bindingIndex]));
  }

  /** Returns the reason of an outcome that does not admit a claim on a limit. */
  public static RefusalReason refusalReason(Limit limit, ClaimOutcome outcome) {
    if (!limit.isCounted()) {
      return limit.verdict() == Verdict.BLOCK
          ? RefusalReason.BLOCKED
          : RefusalReason.MISSING_ATTRIBUTE;
    }
    if (outcome.costExceedsLimit()) {
      return RefusalReason.COST_EXCEEDS_LIMIT;
    }
    return outcome.isUnknownRefusal()
        ? RefusalReason.STORE_UNAVAILABLE
        : RefusalReason.RATE_LIMITED;
  }

  @Override
  public Optional<String> rule() {
    return bindingIndex == NONE
        ? Optional.empty()
        : Optional.of(claims[bindingIndex].limit().rule().id());
  }

  @Override
  public long limit() {
    return bindingIndex == NONE ? 0 : claims[bindingIndex].limit().capacity();
  }

  @Override
  public long remaining() {
    return bindingIndex == NONE ? 0 : outcomes[bindingIndex].remaining();
  }

  @Override
  public Duration reset() {
    return bindingIndex == NONE
        ? Duration.ZERO
        : reset(claims[bindingIndex].limit(), outcomes[bindingIndex]);
  }

  @Override
  public Duration retryAfter() {
    return bindingIndex == NONE ? Duration.ZERO : toDuration(outcomes[bindingIndex].retryAfter());
  }

  @Override
  public Duration delay() {
    long longest = 0;
    for (int i = 0; i < outcomes.length && allowed(); i++) {
      if (!claims[i].limit().shadow()) {
        longest = Math.max(longest, outcomes[i].delay());
      }
    }
    return toDuration(longest);
  }

  @Override
  public boolean shadowRefused() {
    for (int i = 0; i < outcomes.length; i++) {
      if (claims[i].limit().shadow() && !outcomes[i].admitted()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public long revision() {
    return revision;
  }

  @Override
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
                    reset(limit, o),
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

  /** Returns whether a rule charges or refunds the request by the status of its response. */
  public boolean countsByResponse() {
    for (Claim claim : claims) {
      if (claim.limit().rule().countsByResponse()) {
        return true;
      }
    }
    return false;
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

  /** Returns whether the decision has taken a slot of an in-flight limit. */
  public boolean takesSlots() {
    for (int i = 0; i < claims.length; i++) {
      if (claims[i].limit().isInFlight() && outcomes[i].charged()) {
        return true;
      }
    }
    return false;
  }

  /** Returns this decision without the slots that it has taken, when they are given back. */
  public Decision withoutSlots() {
    ClaimOutcome[] changed = outcomes;
    for (int i = 0; i < outcomes.length; i++) {
      ClaimOutcome o = outcomes[i];
      if (claims[i].limit().isInFlight() && o.charged()) {
        changed = changed == outcomes ? outcomes.clone() : changed;
        changed[i] =
            new ClaimOutcome(
                true, o.degraded(), o.remaining(), o.reset(), o.delayOrWait(), o.time());
      }
    }
    return changed == outcomes ? this : new EvaluatedDecision(claims, changed, revision);
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

  private static Duration reset(Limit limit, ClaimOutcome outcome) {
    return limit.isInFlight() ? Duration.ZERO : toDuration(outcome.reset());
  }

  private static Duration toDuration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(allowed() ? "allowed" : "refused");
    rule().ifPresent(id -> text.append(" by ").append(id));
    boolean unknown = bindingIndex != NONE && outcomes[bindingIndex].degraded();
    if (bindingIndex == NONE || claims[bindingIndex].limit().isCounted()) {
      text.append(", ").append(unknown ? "unknown" : Long.toString(remaining()));
      text.append(" of ").append(limit()).append(" left");
    }
    refusalReason()
        .ifPresent(
            reason ->
                text.append(
                    switch (reason) {
                      case RATE_LIMITED -> ", retry after " + Durations.format(retryAfter());
                      case COST_EXCEEDS_LIMIT -> ", cost exceeds limit";
                      case BLOCKED -> ", blocked";
                      case MISSING_ATTRIBUTE -> ", attribute missing";
                      case STORE_UNAVAILABLE ->
                          ", store unavailable, retry after " + Durations.format(retryAfter());
                    }));
    return text.append(degraded() ? ", degraded" : "").toString();
  }
}
