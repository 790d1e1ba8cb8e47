package io.weir;

import io.weir.rule.Claim;
import io.weir.rule.Durations;
import io.weir.rule.Limit;
import io.weir.store.Outcome;
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
  private final Outcome[] outcomes;
  private final long revision;
  private final int binding;

  Decision(Claim[] claims, Outcome[] outcomes, long revision) {
    this.claims = claims;
    this.outcomes = outcomes;
    this.revision = revision;
    int tightest = NONE;
    for (int i = 0; i < claims.length; i++) {
      if (!claims[i].limit().shadow() && (tightest == NONE || tighter(i, tightest))) {
        tightest = i;
      }
    }
    binding = tightest;
  }

  /**
   * What was decided elsewhere, such as by a service that was asked.
   *
   * @param claims what was asked of each limit, those of one rule beside each other
   * @param outcomes what was said of each claim
   */
  public static Decision of(List<Claim> claims, List<Outcome> outcomes, long revision) {
    if (claims.size() != outcomes.size()) {
      throw new IllegalArgumentException(
          outcomes.size() + " outcomes of " + claims.size() + " claims; give one for each");
    }
    return new Decision(claims.toArray(new Claim[0]), outcomes.toArray(new Outcome[0]), revision);
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
    return binding == NONE || outcomes[binding].fits();
  }

  /**
   * Of two requests that were decided together, whether this is the one the caller is better told
   * of, for it binds more tightly.
   */
  public boolean isTighterThan(Decision other) {
    return binding != NONE
        && (other.binding == NONE || tighter(outcomes[binding], other.outcomes[other.binding]));
  }

  /** Whether a store had no answer for one of the rules, and its posture answered. */
  public boolean degraded() {
    for (Outcome outcome : outcomes) {
      if (outcome.degraded()) {
        return true;
      }
    }
    return false;
  }

  /** Whether it was refused because its cost can never fit, however long one waits. */
  public boolean never() {
    return binding != NONE && outcomes[binding].never();
  }

  /** The rule that bound, if any enforcing rule met the request. */
  public Optional<String> rule() {
    return binding == NONE ? Optional.empty() : Optional.of(claims[binding].limit().rule().id());
  }

  /** The most that can ever fit the rule that bound; 0 if none did. */
  public long limit() {
    return binding == NONE ? 0 : claims[binding].limit().most();
  }

  /**
   * The permits left of the rule that bound, after this decision; 0 if none did, and where its
   * fallback answered, since what is left is unknown then.
   */
  public long remaining() {
    return binding == NONE ? 0 : outcomes[binding].remaining();
  }

  /** The time until all permits of the rule that bound are back. */
  public Duration reset() {
    return binding == NONE ? Duration.ZERO : micros(outcomes[binding].reset());
  }

  /** If refused, the time until it would be admitted if nothing else came; zero if never. */
  public Duration retryAfter() {
    return binding == NONE ? Duration.ZERO : micros(outcomes[binding].waitFor());
  }

  /** If admitted, how long to hold the request before it goes on. */
  public Duration delay() {
    long longest = 0;
    for (int i = 0; i < outcomes.length && allowed(); i++) {
      if (!claims[i].limit().shadow()) {
        longest = Math.max(longest, outcomes[i].delay());
      }
    }
    return micros(longest);
  }

  /** Whether a shadow rule would have refused it. */
  public boolean shadowRefused() {
    for (int i = 0; i < outcomes.length; i++) {
      if (claims[i].limit().shadow() && !outcomes[i].fits()) {
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
                    o.fits(),
                    o.degraded(),
                    limit.most(),
                    o.remaining(),
                    micros(o.reset()),
                    micros(o.waitFor()))));
    return rows;
  }

  /** Shows the same to one who asks for every decision: the tightest limit of each rule, as is. */
  public void forEachRule(BiConsumer<Limit, Outcome> said) {
    for (int i = 0; i < claims.length; ) {
      String rule = claims[i].limit().rule().id();
      int tightest = i;
      for (i++; i < claims.length && claims[i].limit().rule().id().equals(rule); i++) {
        tightest = tighter(i, tightest) ? i : tightest;
      }
      said.accept(claims[tightest].limit(), outcomes[tightest]);
    }
  }

  /** How many limits met the request, those of shadow rules included, in the order of the rules. */
  public int size() {
    return claims.length;
  }

  /** What was asked of one of the {@link #size} limits. */
  public Claim claim(int i) {
    return claims[i];
  }

  /** What the store said of one of the {@link #size} limits. */
  public Outcome outcome(int i) {
    return outcomes[i];
  }

  /** Which of the {@link #size} limits bound; -1 if no enforcing rule met the request. */
  public int binding() {
    return binding;
  }

  private boolean tighter(int i, int than) {
    return tighter(outcomes[i], outcomes[than]);
  }

  private static boolean tighter(Outcome a, Outcome b) {
    if (a.fits() != b.fits()) {
      return !a.fits();
    }
    if (!a.fits()) {
      return a.never() != b.never() ? a.never() : a.pause() > b.pause();
    }
    if (a.degraded() != b.degraded()) {
      return b.degraded(); // a posture knows of no remaining permits
    }
    return a.remaining() != b.remaining() ? a.remaining() < b.remaining() : a.reset() > b.reset();
  }

  private static Duration micros(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(allowed() ? "allowed" : "refused");
    rule().ifPresent(id -> text.append(" by ").append(id));
    boolean unknown = binding != NONE && outcomes[binding].degraded();
    text.append(", ").append(unknown ? "unknown" : Long.toString(remaining()));
    text.append(" of ").append(limit()).append(" left");
    if (!allowed()) {
      text.append(never() ? ", never fits" : ", retry after " + Durations.format(retryAfter()));
    }
    return text.append(degraded() ? ", degraded" : "").toString();
  }
}
