package io.weir;

import io.weir.rule.Claim;
import io.weir.rule.Durations;
import io.weir.rule.Limit;
import io.weir.store.ClaimOutcome;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * What a limiter decided, and why. Immutable.
 *
 * <p>Of several rules the tightest is what the caller is told: of those that refuse, the one to be
 * waited for longest; if none does, the one with the fewest permits left. Shadow rules are set
 * aside: they are listed in {@link #rules} and never bind.
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
   * What was decided elsewhere, such as by a service that was asked.
   *
   * @param claims what was asked of each limit, those of one rule beside each other
   * @param outcomes what was said of each claim
   */
  public static Decision of(List<Claim> claims, List<ClaimOutcome> outcomes, long revision) {
    if (claims.size() != outcomes.size()) {
      throw new IllegalArgumentException(
          outcomes.size() + " outcomes of " + claims.size() + " claims; give one for each");
    }
    return new Decision(
        claims.toArray(new Claim[0]), outcomes.toArray(new ClaimOutcome[0]), revision);
  }

  /** What one rule said. */
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
   * Of two requests that were decided together, whether this is the one the caller is better told
   * of, for it binds more tightly.
   */
  public boolean isTighterThan(Decision other) {
    return bindingIndex != NONE
        && (other.bindingIndex == NONE
            || isTighter(outcomes[bindingIndex], other.outcomes[other.bindingIndex]));
  }

  /** Whether a store had no answer for one of the rules, and its posture answered. */
  public boolean degraded() {
    for (ClaimOutcome outcome : outcomes) {
      if (outcome.degraded()) {
        return true;
      }
    }
    return false;
  }

  /** Whether it was refused because its cost can never fit, however long one waits. */
  public boolean costExceedsLimit() {
    return bindingIndex != NONE && outcomes[bindingIndex].costExceedsLimit();
  }

  /** The rule that bound, if any enforcing rule met the request. */
  public Optional<String> rule() {
    return bindingIndex == NONE
        ? Optional.empty()
        : Optional.of(claims[bindingIndex].limit().rule().id());
  }

  /** The most that can ever fit the rule that bound; 0 if none did. */
  public long limit() {
    return bindingIndex == NONE ? 0 : claims[bindingIndex].limit().capacity();
  }

  /**
   * The permits left of the rule that bound, after this decision; 0 if none did, and where its
   * fallback answered, since what is left is unknown then.
   */
  public long remaining() {
    return bindingIndex == NONE ? 0 : outcomes[bindingIndex].remaining();
  }

  /** The time until all permits of the rule that bound are back. */
  public Duration reset() {
    return bindingIndex == NONE ? Duration.ZERO : toDuration(outcomes[bindingIndex].reset());
  }

  /** If refused, the time until it would be admitted if nothing else came; zero if never. */
  public Duration retryAfter() {
    return bindingIndex == NONE ? Duration.ZERO : toDuration(outcomes[bindingIndex].retryAfter());
  }

  /** If admitted, how long to hold the request before it goes on. */
  public Duration delay() {
    long longest = 0;
    for (int i = 0; i < outcomes.length && allowed(); i++) {
      if (!claims[i].limit().shadow()) {
        longest = Math.max(longest, outcomes[i].delay());
      }
    }
    return toDuration(longest);
  }

  /** Whether a shadow rule would have refused it. */
  public boolean shadowRefused() {
    for (int i = 0; i < outcomes.length; i++) {
      if (claims[i].limit().shadow() && !outcomes[i].admitted()) {
        return true;
      }
    }
    return false;
  }

  /** Which rule set decided. */
  public long revision() {
    return revision;
  }

  /** What every rule said that met the request, shadow rules included, in their order. */
  public List<RuleOutcome> rules() {
    List<RuleOutcome> rows = new ArrayList<>();
    forEachRule(
        (limit, o) ->
            rows.add(
                new RuleOutcome(
                    limit.rule().id(),
                    limit.shadow(),
                    o.admitted(),
                    o.degraded(),
                    limit.capacity(),
                    o.remaining(),
                    toDuration(o.reset()),
                    toDuration(o.retryAfter()))));
    return rows;
  }

  /** Shows the same to one who asks for every decision: the tightest limit of each rule, as is. */
  public void forEachRule(BiConsumer<Limit, ClaimOutcome> said) {
    for (int i = 0; i < claims.length; ) {
      String rule = claims[i].limit().rule().id();
      int tightest = i;
      for (i++; i < claims.length && claims[i].limit().rule().id().equals(rule); i++) {
        tightest = isTighter(i, tightest) ? i : tightest;
      }
      said.accept(claims[tightest].limit(), outcomes[tightest]);
    }
  }

  /** How many limits met the request, those of shadow rules included, in the order of the rules. */
  public int claimCount() {
    return claims.length;
  }

  /** What was asked of one of the {@link #claimCount} limits. */
  public Claim claim(int i) {
    return claims[i];
  }

  /** What the store said of one of the {@link #claimCount} limits. */
  public ClaimOutcome outcome(int i) {
    return outcomes[i];
  }

  /** Which of the {@link #claimCount} limits bound; -1 if no enforcing rule met the request. */
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
      return b.degraded(); // a posture knows of no remaining permits
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
          costExceedsLimit() ? ", never fits" : ", retry after " + Durations.format(retryAfter()));
    }
    return text.append(degraded() ? ", degraded" : "").toString();
  }
}
